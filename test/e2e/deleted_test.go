package e2e

import (
	"context"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// delete deletes the object, as an administrator.
func (w *testNode) delete() {
	w.t.Helper()
	require.NoError(w.t, w.admin.MachineconfigurationV1().MachineConfigNodes().Delete(w.t.Context(), w.name, metav1.DeleteOptions{}))
}

// A daemon that has nothing to report, but a Lister and Run, creates its deleted object again, with
// the status that it had.
func TestRunCreatesADeletedObjectAgain(t *testing.T) {
	notWithTransitions(t)
	w := newTestNode(t, "deleted-lister")
	w.annotate(oldConfig, newConfig)
	ctx, cancel := context.WithCancel(t.Context())
	m, requests, caughtUp := w.informed(t.Context())
	for _, c := range rebootCalls[:5] {
		c.make(t, m)
	}
	before := w.object()
	ended := make(chan error)
	go func() { ended <- m.Run(ctx) }()
	t.Cleanup(func() { cancel(); assert.NoError(t, <-ended) })
	caughtUp(before.ResourceVersion)
	rebootCalls[4].make(t, m)
	total := requests.all()

	watch, err := w.admin.MachineconfigurationV1().MachineConfigNodes().Watch(t.Context(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", w.name).String(), ResourceVersion: before.ResourceVersion})
	require.NoError(t, err)
	defer watch.Stop()
	w.delete()
	for event := range watch.ResultChan() {
		if object, ok := event.Object.(*mcfgv1.MachineConfigNode); ok && object.UID != before.UID && len(object.Status.Conditions) > 0 {
			assert.Equal(t, before.Status.Conditions, object.Status.Conditions)
			assert.Equal(t, before.Status.ConfigVersion, object.Status.ConfigVersion)
			break
		}
	}
	assert.LessOrEqual(t, requests.all()-total, 3, "a read, a create, a status")
}

// Without a Lister, a repeat checks the object once per CheckInterval.
func TestRepeatCreatesADeletedObjectAgain(t *testing.T) {
	notWithTransitions(t)
	w := newTestNode(t, "deleted")
	w.annotate(oldConfig, newConfig)
	m := w.build(func(c *upgrademonitor.Config) { c.CheckInterval = time.Nanosecond })
	for _, c := range rebootCalls[:5] {
		c.make(t, m)
	}
	before := w.object()
	w.delete()
	rebootCalls[4].make(t, m)
	after := w.object()
	assert.NotEqual(t, before.UID, after.UID)
	assert.Equal(t, before.Status.Conditions, after.Status.Conditions)

	// Another process creates it without a status.
	w.delete()
	empty := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: w.name}, Spec: before.Spec}
	_, err := w.admin.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), empty, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.AppliedFilesAndOS, "Applying", "", metav1.ConditionUnknown))
	assert.Equal(t, done, w.status(phases.Drained), "the status is restored with the report")
}

// The transition policy denies restoring a status: the object starts again.
func TestADeletedObjectStartsAgainUnderThePolicyOfTransitions(t *testing.T) {
	w := guardedNodeOn(t, standard, "deleted-guarded")
	w.annotate(oldConfig, newConfig)
	m := w.build(func(c *upgrademonitor.Config) { c.CheckInterval = time.Nanosecond })
	for _, c := range rebootCalls[:5] {
		c.make(t, m)
	}
	w.delete()
	call{phases.AppliedFilesAndOS, running, nil}.make(t, m)
	assert.Equal(t, running, w.status(phases.AppliedFilesAndOS))
	assert.Equal(t, no, w.status(phases.Drained))
}

// notWithTransitions skips a test that the transition policy denies.
func notWithTransitions(t *testing.T) {
	t.Helper()
	if guardEverything() {
		t.Skip("the transition policy denies restoring a status")
	}
}
