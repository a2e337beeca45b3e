package mco_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// A node takes one place of maxUnavailable if it fails for the target of the pool, and one if it cannot run pods.
func TestFailingAndUnavailableNodesTakePlaces(t *testing.T) {
	const other = "rendered-worker-ccc"
	for name, tc := range map[string]struct {
		current, desired, state string
		isCordoned              bool
		want                    int
	}{
		"fails":                          {configA, configB, "Degraded", false, 1},
		"cannot be reconciled":           {configA, configB, "Unreconcilable", false, 1},
		"fails, cordoned":                {configA, configB, "Degraded", true, 2},
		"cannot be reconciled, cordoned": {configA, configB, "Unreconcilable", true, 2},
		"fails, and desires another config than the target":           {configA, other, "Degraded", false, 0},
		"fails, and desires another config than the target, cordoned": {configA, other, "Degraded", true, 1},
		"the files of the node have drifted":                          {configB, configB, "Degraded", false, 1},
		"the files of the node have drifted, cordoned":                {configB, configB, "Degraded", true, 1},
		"has joined, and its daemon has not run yet":                  {"", "", "", false, 1},
		"has lost desiredConfig":                                      {configB, "", "Done", false, 1},
		"updates to another config than the target, cordoned":         {configA, other, "Working", true, 1},
	} {
		node := newNode("currentConfig", tc.current, "desiredConfig", tc.desired, "state", tc.state)
		node.Spec.Unschedulable = tc.isCordoned
		assert.Equal(t, tc.want, mco.Of(node, nil).Places(target(configB)), name)
	}
	ready := newNode("currentConfig", configA, "desiredConfig", configB, "state", "Degraded")
	ready.Status.Conditions[0].Status = corev1.ConditionUnknown
	assert.Equal(t, 2, mco.Of(ready, nil).Places(target(configB)), "a node that fails and is NotReady takes two places")
	withImage := newNode("currentConfig", configB, "desiredConfig", configB, "currentImage", "x", "desiredImage", "y", "state", "Degraded")
	withImage.Spec.Unschedulable = true
	assert.Equal(t, 1, mco.Of(withImage, nil).Places(progress.Target{Config: configB, Image: "y"}), "a node whose configs are equal does not count as failing")
	otherImage := newNode("currentConfig", configA, "desiredConfig", configB, "currentImage", "x", "desiredImage", "y", "state", "Degraded")
	assert.Equal(t, 0, mco.Of(otherImage, nil).Places(progress.Target{Config: configB, Image: "z"}), "a node that fails for another image takes no place")
	failing := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.NodeDegraded, yes, 2, "disk full"))
	assert.Equal(t, 1, mco.Of(nil, failing).Places(target(configB)), "without a Node, the object decides")
	assert.Zero(t, mco.Of(nil, failing).Places(target(other)), "without a Node, a node that fails for another config takes no place")
	doneByNode := newNode("currentConfig", configB, "desiredConfig", configB, "state", "Done")
	assert.Equal(t, 0, mco.Of(doneByNode, failing).Places(target(configB)), "with a Node, the object does not matter, as in machine-config-operator's node controller")
}

// The image of a pool is read from the messages of its conditions Updated and Updating.
func TestTheImageIsInTheMessagesOfThePool(t *testing.T) {
	type answer struct {
		image                string
		isNamed, isImageMode bool
	}
	const all, degraded = "All nodes are updating to ", "Pool update paused due to degraded condition"
	for name, tc := range map[string]struct {
		messages []string
		want     answer
	}{
		"no message":                        {nil, answer{}},
		"an image":                          {[]string{"", all + "MachineConfig " + configB + " / Image x@sha256:1"}, answer{"x@sha256:1", true, true}},
		"an image at the end of a sentence": {[]string{"1 of 2 nodes have MachineConfig " + configB + " / Image x@sha256:1. a is cordoned"}, answer{"x@sha256:1", true, true}},
		"an image of another config":        {[]string{all + "MachineConfig " + configA + " / Image x"}, answer{}},
		"no image":                          {[]string{"All nodes are updated with MachineConfig " + configB}, answer{"", true, false}},
		"another config without an image":   {[]string{all + "MachineConfig " + configA}, answer{}},
		"a build has failed":                {[]string{"", degraded}, answer{"", false, true}},
		"a build has not started":           {[]string{"", "Pool is waiting for a new OS image build to start (mosc: worker)"}, answer{"", false, true}},
		"a build has failed, and Updated names the config": {[]string{all + "MachineConfig " + configB, degraded}, answer{"", false, true}},
		"a text without an image":                          {[]string{"Pool is paused; will not update to " + configB}, answer{}},
	} {
		var got answer
		got.image, got.isNamed, got.isImageMode = mco.ImageOf(configB, tc.messages...)
		assert.Equal(t, tc.want, got, name)
	}
}

func TestAnObjectThatShowsTheEndOfARequestedUpdateIsNewer(t *testing.T) {
	requests := newNode("currentConfig", configA, "desiredConfig", configB, "state", "Working")
	updated := mcn(withDesired(configB), is(phases.Updated, yes, 9))
	updated.Status.ConfigVersion.Current = configB
	assert.True(t, mco.IsNewer(requests, updated))
	assert.False(t, mco.IsNewer(newNode("currentConfig", configB, "desiredConfig", configB, "state", "Done"), updated), "an object is not newer if the Node also shows the end")
	assert.False(t, mco.IsNewer(requests, mcn(is(phases.Updated, yes, 9))), "an object from before the update is not newer")
	updated.Status.Conditions = mcn(is(phases.Updated, no, 9)).Status.Conditions
	assert.False(t, mco.IsNewer(requests, updated), "an object that shows a running update is not newer")
}

// A done node shows the step RebootedNode only if it desires another config: a daemon also reboots nodes for other reasons.
func TestARebootIsAStepOnlyIfTheNodeDesiresAnotherConfig(t *testing.T) {
	for current, want := range map[string]phases.Phase{configA: phases.RebootedNode, configB: ""} {
		node := newNode("currentConfig", current, "desiredConfig", configB, "state", "Done", "post-config-action", "Rebooting")
		assert.Equal(t, want, mco.Of(node, mcn(is(phases.Updated, yes, 1), withDesired(configB))).Step, current)
		over := mcn(is(phases.Updated, no, 1), withDesired(configB), is(phases.RebootedNode, yes, 2), is(phases.Uncordoned, yes, 3))
		assert.NotEqual(t, phases.RebootedNode, mco.Of(node, over).Step, "the reboot is over")
	}
}
