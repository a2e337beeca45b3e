package mco_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

// If the object does not show the update, the drain annotations of the Node decide the step.
func TestDrainAnnotationsDecideTheStepOfABehindObject(t *testing.T) {
	const drain, uncordon = "drain-" + configB, "uncordon-" + configA
	for name, tc := range map[string]struct {
		desired, applied string
		cordoned         float64 // the time of the cordon, or 0
		object           *mcfgv1.MachineConfigNode
		step             phases.Phase
		started, since   float64
	}{
		"no drain was requested":                                 {uncordon, uncordon, 0, nil, "", 5, 5},
		"a drain was requested":                                  {drain, uncordon, 0, nil, phases.Cordoned, 5, 5},
		"a drain is running":                                     {drain, uncordon, 7, nil, phases.Drained, 7, 7},
		"the drain is done":                                      {drain, drain, 7, nil, "", 7, 7},
		"cordoned before the update":                             {drain, uncordon, 2, nil, phases.Drained, 5, 5},
		"an uncordon was requested":                              {"uncordon-" + configB, drain, 7, nil, phases.Uncordoned, 7, 0},
		"the object shows the last update":                       {drain, uncordon, 7, mcn(is(phases.Updated, yes, 1)), phases.Drained, 7, 7},
		"the object shows the update":                            {drain, uncordon, 7, mcn(is(phases.Updated, no, 6), is(phases.UpdatePrepared, running, 6)), phases.UpdatePrepared, 6, 6},
		"cordoned by hand, and no drain was requested":           {uncordon, uncordon, 7, nil, "", 5, 5},
		"a drain for an earlier target":                          {"drain-c", uncordon, 7, nil, phases.Drained, 7, 7},
		"the drain for an earlier target is done":                {"drain-c", "drain-c", 7, nil, "", 5, 5},
		"the requested drain is neither a drain nor an uncordon": {"x-" + configB, "", 7, nil, "", 7, 7},
		"no requests, as in a trimmed dump":                      {"", "", 0, nil, "", 5, 5},
		"the uncordon of this config is done":                    {"uncordon-" + configB, "uncordon-" + configB, 7, nil, "", 7, 7}, // another image of the same config
	} {
		t.Run(name, func(t *testing.T) {
			node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Working", "desiredDrain", tc.desired, "lastAppliedDrain", tc.applied)
			node.ManagedFields = []metav1.ManagedFieldsEntry{entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}}}`, at(5))}
			if tc.cordoned > 0 {
				cordoned := metav1.NewTime(at(tc.cordoned))
				node.Spec = corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, TimeAdded: &cordoned}}}
			}
			n := mco.Of(node, tc.object)
			assert.Equal(t, tc.step, n.Step)
			assert.False(t, n.NotStarted())
			assert.True(t, n.Completed.IsZero(), "an update that is running is not complete")
			assert.True(t, n.Started.Equal(at(tc.started)), n.Started)
			assert.Equal(t, tc.since == 0, n.Since.IsZero())
			assert.True(t, tc.since == 0 || n.Since.Equal(at(tc.since)), n.Since)
		})
	}
}

// If the object does not have the target of the Node yet, the managedFields of the Node say when the update was
// requested.
func TestTheManagedFieldsOfTheNodeSayWhenAnUpdateWasRequested(t *testing.T) {
	node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Done")
	node.ManagedFields = []metav1.ManagedFieldsEntry{
		entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}}}`, at(7)),
		entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/state":{}}}}`, at(8)),
	}
	spec := managed(entry(`{"f:spec":{}}`, at(3)))
	for name, object := range map[string]*mcfgv1.MachineConfigNode{"another target": mcn(spec, is(phases.Updated, yes, 2)), "no object": nil} {
		n := mco.Of(node, object)
		assert.Equal(t, at(7), n.Requested, name)
		assert.Equal(t, at(7), n.Since, name)
	}
	node.Annotations[annotation+"desiredImage"] = "x"
	assert.Equal(t, at(7), mco.Of(node, mcn(spec, withDesired(configB), is(phases.Updated, yes, 2))).Requested, "another image")
	delete(node.Annotations, annotation+"desiredImage")
	node.Annotations[annotation+"state"] = "Working"
	assert.Equal(t, at(7), mco.Of(node, nil).Since, "if the step is not known, the time of the request counts")
	assert.Equal(t, at(3), mco.Of(node, mcn(spec, withDesired(configB), is(phases.Updated, yes, 2))).Requested)
}

// A Node that was created again, with the name of an earlier Node, has no object until its daemon creates one.
func TestTheObjectOfAnEarlierNodeIsIgnored(t *testing.T) {
	node, object := newNode("desiredConfig", configA, "currentConfig", configA, "state", "Done"), mcn(is(phases.Updated, yes, 1), is(phases.NodeDegraded, yes, 2, "disk full"))
	object.UID, object.OwnerReferences = "uid-1", []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: "uid of the earlier Node"}}
	n := mco.Of(node, object)
	assert.Empty(t, n.UID)
	assert.Zero(t, n.DegradedSince)
	assert.Zero(t, n.Completed)
}

// If the object and the Node have an error, the more specific one is shown.
func TestTheMostSpecificErrorIsShown(t *testing.T) {
	updated := is(phases.Updated, yes, 1)
	degraded := func(text string) func(*mcfgv1.MachineConfigNode) { return is(phases.NodeDegraded, yes, 2, text) }
	for name, tc := range map[string]struct {
		reason  string
		object  *mcfgv1.MachineConfigNode
		message string
	}{
		"neither has an error":                                         {"", mcn(updated), ""},
		"only the Node has an error":                                   {"disk full", nil, "disk full"},
		"the object has the same error":                                {"disk full", mcn(updated, degraded("Node worker-0 upgrade failure. disk full")), "disk full"},
		"the error of the object is longer":                            {"disk", mcn(updated, degraded("Node worker-0 upgrade failure. disk full")), "disk full"},
		"the error of the annotation is longer":                        {"a: disk full: b", mcn(updated, degraded("Node worker-0 upgrade failure. disk full")), "a: disk full: b"},
		"the object has another error":                                 {"rebooting", mcn(updated, degraded("disk full")), "disk full"},
		"the object has an error with the prefix of an earlier update": {"", mcn(updated, degraded("Action during update to a: Node worker-0 upgrade failure. disk full")), "disk full"},
		"NodeDegraded is False again":                                  {"disk full", mcn(updated, is(phases.NodeDegraded, no, 2, "no network")), "disk full"},
		"the object has the cause of the drain error": {
			afterAnHourIs,
			mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.Cordoned, yes, 2), is(phases.Drained, running, 3, drainFailed+evictPG0+untilDrainer)), evictPG0,
		},
	} {
		n := mco.Of(newNode("state", "Degraded", "reason", tc.reason), tc.object)
		assert.True(t, n.Degraded, name)
		assert.Equal(t, tc.message, n.Message, name)
	}
}
