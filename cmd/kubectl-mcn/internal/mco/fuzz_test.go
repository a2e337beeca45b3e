package mco_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

// FuzzNode decodes an object and a Node from bytes. The result is consistent, and the arguments do not change.
func FuzzNode(f *testing.F) {
	mcntest.Seeds(f, 100)
	f.Fuzz(func(t *testing.T, data []byte, _ uint64) {
		in := mcntest.Tape(data)
		m := in.Object()
		before := m.DeepCopy()
		n := mco.Of(nil, m)
		require.Equal(t, before, m, "the argument changed")
		checkNode(t, n)
		require.Equal(t, n, mco.Of(nil, m))

		node := in.Node(m.Name)
		nodeBefore := node.DeepCopy()
		checkNode(t, mco.Of(node, m))
		checkNode(t, mco.Of(node, nil))
		require.Equal(t, before, m, "the argument changed")
		require.Equal(t, nodeBefore, node, "the argument changed")
	})
}

// checkNode checks the invariants of a node.
func checkNode(t *testing.T, n mco.Node) {
	t.Helper()
	require.Contains(t, []int{0, len(phasetable.Leaves(false)) - 1, len(phasetable.Leaves(true)) - 1}, len(n.Steps), "a reboot or a post action, but not both")
	require.Equal(t, n.Step != "", len(n.Steps) > 0)
	require.True(t, n.InUpdate() || n.Step == "" && !n.NotStarted())
	require.True(t, n.HasNode || len(n.Unavailable) == 0)
	require.False(t, n.IsAvailable() && (n.Degraded || n.InUpdate() || len(n.Unavailable) > 0))
	require.True(t, n.Degraded || len(n.Errors) == 0)
	require.True(t, n.HasObject || n.DoneByNode || !n.Done)
	last, took := n.Started, time.Duration(0)
	require.Equal(t, time.UTC, n.Started.Location())
	for _, s := range n.Steps {
		require.Equal(t, time.UTC, s.End.Location())
		require.NotEmpty(t, s.State)
		require.GreaterOrEqual(t, s.Duration, time.Duration(0))
		took += s.Duration
		if s.End.After(last) {
			last = s.End
		}
	}
	if sum := last.Sub(n.Started); !n.Started.IsZero() && sum < time.Duration(math.MaxInt64) {
		require.Equal(t, max(0, sum), took)
	}
	if n.Step != "" && n.Step != phases.Updated { // a step, or the parent of a step that has not begun
		require.True(t, slices.ContainsFunc(n.Steps, func(s mco.Step) bool {
			parent, _ := phases.ParentOf(s.Phase)
			return s.Phase == n.Step && s.State != mco.Finished || parent == n.Step && s.State == mco.ToDo
		}))
	}
}
