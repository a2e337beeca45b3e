package mco

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Cordoner is who has cordoned or deletes a Node. A cordon may be undone with oc adm uncordon only if Next is "": the
// others uncordon the node themselves, or delete it.
type Cordoner struct {
	// Name says who it is, for example "oc" or "the SR-IOV operator". It is "" if nobody is known.
	Name string
	// Next is a command that shows what the cordoner does, with NAME in place of the name of the node.
	// It is "" for a person, if nobody is known, and for a controller that will not uncordon the node.
	Next string
}

// Deletes reports whether the node is being deleted.
func (c Cordoner) Deletes() bool { return strings.HasSuffix(c.Name, deletes) || c == deletion }

// cordoner is a row of the table of cordoners. A row matches by the annotation or a taint of the Node, which say
// that the cordoner works on the node, or by the manager of the field unschedulable.
type cordoner struct {
	annotation, taint string
	managers          string // names, or the first words of names
	Cordoner
}

// isManager reports whether a manager is one of managers: sriov is sriov-network-config-daemon, too.
func (c cordoner) isManager(manager string) bool {
	return slices.ContainsFunc(strings.Fields(c.managers), func(name string) bool {
		rest, isPrefix := strings.CutPrefix(manager, name)
		return isPrefix && (rest == "" || strings.ContainsAny(rest[:1], "-. /"))
	})
}

const (
	getMachines     = "oc get machines -n openshift-machine-api"
	getMaintenances = "oc get nodemaintenances"
	deletes         = ", which deletes the node"
)

// deletion is the Cordoner of each Node with a deletionTimestamp. It wins over the program that cordoned the Node.
var deletion = Cordoner{"", getMachines}

// cordoners is in the order in which the rows are tried. An annotation or a taint says who works on the node now, so
// these rows come first. The manager of a field is only who wrote it last.
var cordoners = []cordoner{
	{"", "ToBeDeletedByClusterAutoscaler", "cluster-autoscaler", Cordoner{"the cluster autoscaler" + deletes, getMachines}},
	{"", "karpenter.sh/disrupted", "karpenter", Cordoner{"Karpenter" + deletes, "oc get nodeclaims"}},
	{"", "karpenter.sh/disruption", "", Cordoner{"Karpenter" + deletes, "oc get nodeclaims"}}, // before Karpenter 1.0
	{"sriovnetwork.openshift.io/state", "", "sriov", Cordoner{"the SR-IOV operator", "oc get sriovnetworknodestates -A"}},
	{"", "medik8s.io/drain", "node-maintenance", Cordoner{"the node maintenance operator", getMaintenances}},
	{"", "kubevirt.io/drain", "", Cordoner{"the node maintenance operator of KubeVirt", getMaintenances}}, // its first releases
	{"", "medik8s.io/fence-agents-remediation", "", Cordoner{"a remediation of medik8s", "oc get fenceagentsremediations -A"}},
	{"", "medik8s.io/remediation", "self-node-remediation node-remediation fence-agents", Cordoner{"a remediation of medik8s", "oc get selfnoderemediations -A"}},
	{"", "", "machine-controller machine-api", Cordoner{"the machine controller" + deletes, getMachines}},
	{"", "", "capi cluster-api", Cordoner{"the machine controller" + deletes, "oc get machines.cluster.x-k8s.io -A"}},
	{"", "", Controller, Cordoner{Controller, ControllerLog}},
	{"", "", "oc kubectl k9s Mozilla", Cordoner{}}, // a person, also with a plugin or the console
}

// Controller is the name of machine-config-controller in managedFields, and of its deployment.
const Controller = "machine-config-controller"

// IsOwnManager reports whether machine-config-operator has written a field.
func IsOwnManager(manager string) bool {
	return manager == Controller || manager == "machine-config-operator"
}

const (
	// InNamespace begins a command about a pod of machine-config-operator.
	InNamespace = "oc -n openshift-machine-config-operator "
	// ControllerLog shows the log of machine-config-controller.
	ControllerLog = InNamespace + "logs deploy/" + Controller + " -c " + Controller
)

// IsOfCordoner reports whether an annotation or a taint of a Node says who has cordoned it.
func IsOfCordoner(key string) bool {
	return key != "" && slices.ContainsFunc(cordoners, func(c cordoner) bool { return key == c.annotation || key == c.taint })
}

// cordonerOf returns who has cordoned or deletes a Node. machine-config-operator has cordoned the Node if it was asked for a
// drain, or has not carried out a request, so other operators do not matter then.
func cordonerOf(node *corev1.Node) Cordoner {
	if node.DeletionTimestamp != nil {
		return deletion
	}
	drain := node.Annotations[nodemeta.DesiredDrain]
	isOfMCO := strings.HasPrefix(drain, nodemeta.Drain) || drain != node.Annotations[nodemeta.LastAppliedDrain]
	for _, c := range cordoners {
		isOwn := !isOfMCO || c.Deletes()
		state := node.Annotations[c.annotation] // for example Draining, Drain_Required or Reboot_Required
		isDraining := state != "" && state != "Idle"
		hasTaint := func(t corev1.Taint) bool { return t.Key == c.taint }
		if isOwn && (isDraining || c.taint != "" && slices.ContainsFunc(node.Spec.Taints, hasTaint)) {
			return c.Cordoner
		}
	}
	by := LastWrite(node.ManagedFields, OfCordon).By
	if !node.Spec.Unschedulable || by == "" {
		return Cordoner{}
	}
	if by == Controller && !isOfMCO && drain != "" {
		return Cordoner{Name: by} // for the controller, its last request is carried out: the node is uncordoned
	}
	for _, c := range cordoners {
		if c.isManager(by) {
			return Cordoner{cmp.Or(c.Name, by), c.Next}
		}
	}
	return Cordoner{by, "oc get node NAME -o yaml --show-managed-fields"} // a program that this table does not know
}

// readLifted sets IsLifted, CordonedAt and LiftedBy.
func (n *Node) readLifted(node *corev1.Node, list []metav1.Condition) {
	isCordoned, at := sinceTrue(list, phases.Cordoned)
	isHeld := n.hasReached(phases.Drained) && !n.hasReached(phases.Uncordoned) && !strings.HasPrefix(n.DesiredDrain, nodemeta.Uncordon)
	if node != nil && isCordoned && isHeld && !n.Is(progress.Cordoned) {
		n.IsLifted, n.CordonedAt, n.LiftedBy = true, at, lastOfCordoners(node.ManagedFields, at)
	}
}

// lastOfCordoners returns the last write of a Node after a time by somebody who cordons nodes or owns the field
// unschedulable. A person who has uncordoned a Node may own no field of it.
func lastOfCordoners(entries []metav1.ManagedFieldsEntry, after time.Time) Write {
	isOther := func(entry metav1.ManagedFieldsEntry) bool {
		is := func(c cordoner) bool { return c.isManager(entry.Manager) }
		isOwner := bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(OfCordon))
		return IsOwnManager(entry.Manager) || !isOwner && !slices.ContainsFunc(cordoners, is)
	}
	if last := LastWrite(slices.DeleteFunc(slices.Clone(entries), isOther), ""); last.At.After(after) {
		return last
	}
	return Write{}
}
