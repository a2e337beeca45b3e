package e2e

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// A daemon that has nothing to report, but a Lister and Run, creates its deleted object again, with
// the status that it had.
func TestRunCreatesADeletedObjectAgain(t *testing.T) {
	if guardEverything() {
		t.Skip("the transition policy denies restoring a status")
	}
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

	w.delete()
	eventually(t, func() bool {
		list, err := w.admin.List(t.Context(), only(w.name))
		require.NoError(t, err)
		return len(list.Items) == 1 && list.Items[0].UID != before.UID && len(list.Items[0].Status.Conditions) > 0
	})
	after := w.object()
	assert.Equal(t, before.Status.Conditions, after.Status.Conditions)
	assert.Equal(t, before.Status.ConfigVersion, after.Status.ConfigVersion)
	assert.LessOrEqual(t, requests.all()-total, 3, "a read, a create, a status")
}

// The transition policy denies restoring a status: the object starts again.
func TestADeletedObjectStartsAgainUnderThePolicyOfTransitions(t *testing.T) {
	w := guardedNodeOn(t, standard, "deleted-guarded")
	w.annotate(oldConfig, newConfig)
	m, _ := w.build(func(*upgrademonitor.Config) {})
	for _, c := range rebootCalls[:5] {
		c.make(t, m)
	}
	w.delete()
	call{phases.AppliedFilesAndOS, running, nil}.make(t, m)
	assert.Equal(t, running, w.status(phases.AppliedFilesAndOS))
	assert.Equal(t, no, w.status(phases.Drained))
}
