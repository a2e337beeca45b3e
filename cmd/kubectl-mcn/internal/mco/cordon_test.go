package mco_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// If a known program has cordoned the node, the entry names the program, and a command that shows more.
func TestEntryNamesTheProgramThatCordoned(t *testing.T) {
	const sriov, maintenance, remediation = "sriovnetworknodestates", "nodemaintenances", "selfnoderemediations"
	const machines, writer = "oc get machines -n openshift-machine-api", "--show-managed-fields"
	for name, tc := range map[string]struct {
		state, taint, manager string
		drain, last           string
		isSchedulable         bool
		isDeleted             bool
		by, next              string // parts of the name and of the command; "" if there is none
	}{
		"nobody":             {},
		"SR-IOV drains":      {state: "Draining", by: "SR-IOV", next: sriov},
		"SR-IOV will reboot": {state: "Reboot_Required", by: "SR-IOV", next: sriov},
		"SR-IOV is idle":     {state: "Idle"},
		"SR-IOV is idle, and has cordoned the node": {state: "Idle", manager: "sriov-network-config-daemon", by: "SR-IOV", next: sriov},
		"maintenance": {taint: "medik8s.io/drain", by: "maintenance", next: maintenance},
		"maintenance, in the first releases of KubeVirt": {taint: "kubevirt.io/drain", by: "KubeVirt", next: maintenance},
		"remediation":                        {taint: "medik8s.io/remediation", by: "remediation", next: remediation},
		"another taint":                      {taint: "example.com/drain"},
		"after an update":                    {state: "Draining", drain: "uncordon-a", last: "uncordon-a", by: "SR-IOV", next: sriov},
		"MCO was asked to uncordon the node": {state: "Draining", drain: "uncordon-a", last: "drain-a"},
		"MCO was asked to drain the node":    {state: "Draining", drain: "drain-a", last: "uncordon-a"},
		"MCO has drained the node":           {state: "Draining", drain: "drain-a", last: "drain-a"},
		"the node is no longer cordoned":     {state: "Draining", isSchedulable: true},

		"a person":                                     {manager: "oc", by: "oc"},
		"a person, kubectl":                            {manager: "kubectl-cordon", by: "kubectl-cordon"},
		"a person, Windows":                            {manager: "oc.exe", by: "oc.exe"},
		"a person, with a version":                     {manager: "oc/4.20.1", by: "oc/4.20.1"},
		"a person, with words":                         {manager: "oc adm cordon", by: "oc adm cordon"},
		"a person, the console":                        {manager: "Mozilla", by: "Mozilla"},
		"a program whose name begins with oc":          {manager: "ocelot", by: "ocelot", next: writer},
		"a reboot daemon":                              {manager: "kured", by: "kured", next: writer},
		"the machine controller":                       {manager: "machine-controller-manager", by: "deletes the node", next: machines},
		"Cluster API":                                  {manager: "capi-manager", by: "deletes the node", next: "machines.cluster.x-k8s.io"},
		"the autoscaler":                               {taint: "ToBeDeletedByClusterAutoscaler", manager: "oc", by: "autoscaler, which deletes the node", next: machines},
		"only a candidate":                             {taint: "DeletionCandidateOfClusterAutoscaler", manager: "oc", by: "oc"},
		"Karpenter":                                    {taint: "karpenter.sh/disrupted", by: "Karpenter", next: "nodeclaims"},
		"MCO drains a node that will be deleted":       {taint: "ToBeDeletedByClusterAutoscaler", drain: "drain-a", by: "deletes the node", next: machines},
		"Karpenter, in its first releases":             {taint: "karpenter.sh/disruption", by: "Karpenter", next: "nodeclaims"},
		"Karpenter, without a taint":                   {manager: "karpenter", by: "Karpenter", next: "nodeclaims"},
		"the autoscaler, without a taint":              {manager: "cluster-autoscaler", by: "autoscaler, which deletes the node", next: machines},
		"maintenance, without a taint":                 {manager: "node-maintenance-operator", by: "maintenance", next: maintenance},
		"remediation by fence agents":                  {taint: "medik8s.io/fence-agents-remediation", by: "remediation", next: "fenceagentsremediations"},
		"remediation by fence agents, without a taint": {manager: "fence-agents-remediation", by: "remediation", next: remediation},
		"remediation, without a taint":                 {manager: "node-remediation-manager", by: "remediation", next: remediation},
		"self node remediation, without a taint":       {manager: "self-node-remediation-manager", by: "remediation", next: remediation},
		"the machine controller of the cloud":          {manager: "machine-controller", by: "the machine controller, which deletes the node", next: machines},
		"the machine API":                              {manager: "machine-api-controllers", by: "the machine controller, which deletes the node", next: machines},
		"Cluster API, by its long name":                {manager: "cluster-api-controller-manager", by: "the machine controller, which deletes the node", next: "machines.cluster.x-k8s.io"},
		"deleted":                                      {isDeleted: true, manager: "oc", next: machines},
		"deleted, and not cordoned":                    {isDeleted: true, isSchedulable: true, next: machines},
		"the autoscaler, without a cordon":             {taint: "ToBeDeletedByClusterAutoscaler", isSchedulable: true, by: "autoscaler, which deletes the node", next: machines},
		"uncordoned by the machine controller":         {manager: "machine-controller", isSchedulable: true},
		"MCO":                                          {manager: "machine-config-controller", by: mco.Controller, next: mco.ControllerLog},
		"MCO, for a drain":                             {manager: "machine-config-controller", drain: "drain-a", last: "uncordon-a", by: mco.Controller, next: mco.ControllerLog},
		"MCO, and the drain was taken back":            {manager: "machine-config-controller", drain: "uncordon-a", last: "uncordon-a", by: mco.Controller},
	} {
		node := newNode("desiredDrain", tc.drain, "lastAppliedDrain", tc.last)
		node.Annotations["sriovnetwork.openshift.io/state"] = tc.state
		node.Spec.Unschedulable = !tc.isSchedulable
		node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable}, {Key: tc.taint}}
		if tc.isDeleted {
			node.DeletionTimestamp = &metav1.Time{Time: at(1)}
		}
		if tc.manager != "" {
			node.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: tc.manager, Time: &metav1.Time{Time: at(1)}, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
		}
		got := mco.Of(node, nil).Cordoner
		assert.Equal(t, []bool{tc.by != "", tc.next != ""}, []bool{got.Name != "", got.Next != ""}, name)
		assert.Contains(t, got.Name, tc.by, name)
		assert.Contains(t, got.Next, tc.next, name)
	}
	assert.True(t, mco.IsOfCordoner("sriovnetwork.openshift.io/state"))
	assert.True(t, mco.IsOfCordoner("ToBeDeletedByClusterAutoscaler"))
	assert.False(t, mco.IsOfCordoner(""))
	assert.True(t, mco.IsOwnManager("machine-config-operator"), "it has written MachineConfigs")
	assert.False(t, mco.IsOfCordoner(annotation+"state"))
}
