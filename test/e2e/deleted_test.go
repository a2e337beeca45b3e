package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
)

// A Monitor with a Lister creates its deleted object again without a call. The reports that follow fill its status.
func TestADeletedObjectIsCreatedAgain(t *testing.T) {
	w := newTestNode(t, "deleted-lister")
	w.annotate(oldConfig, newConfig)
	m, requests, caughtUp := w.informed(t.Context())
	for _, c := range rebootCalls[:5] {
		c.make(t, m)
	}
	before := w.object()
	caughtUp(before.ResourceVersion)
	rebootCalls[4].make(t, m)
	total := requests.all()

	w.delete()
	eventually(t, func() bool {
		list, err := w.admin.List(t.Context(), only(w.name))
		require.NoError(t, err)
		return len(list.Items) == 1 && list.Items[0].UID != before.UID
	})
	assert.LessOrEqual(t, requests.all()-total, 2, "a read and a create")
	after := w.object()
	assert.Equal(t, before.OwnerReferences, after.OwnerReferences)
	assert.Equal(t, before.Spec, after.Spec)

	call{phases.AppliedFilesAndOS, running, nil}.make(t, m)
	assert.Equal(t, running, w.status(phases.AppliedFilesAndOS))
	assert.Equal(t, no, w.status(phases.Drained))
}
