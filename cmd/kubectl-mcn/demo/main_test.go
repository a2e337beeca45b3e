package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// view returns what a simulation shows.
func view(t *testing.T, s *simulation, follow bool) source.View {
	t.Helper()
	st := source.NewStore(cluster.Limits{})
	require.NoError(t, s.Read(t.Context(), st, follow))
	return st.View(s.Now())
}

func TestASingleViewShowsTheMiddle(t *testing.T) {
	v := view(t, &simulation{nodes: 20, speed: 60, start: time.Now()}, false)
	require.Len(t, v.Pools, 1)
	worker := v.Pools[0]
	assert.Equal(t, 20, worker.Total())
	assert.InDelta(t, 10, worker.Done, 3)
	assert.Positive(t, worker.Updating)
	assert.NotZero(t, worker.Remaining)
	assert.True(t, v.Ready)
}

func TestARolloutEnds(t *testing.T) {
	for _, nodes := range []int{1, 20} {
		for _, p := range view(t, &simulation{nodes: nodes, speed: 1e6, start: time.Now()}, true).Pools {
			assert.True(t, p.IsDone(), "%+v", p)
		}
	}
}

func TestADrainFails(t *testing.T) {
	for _, follow := range []bool{false, true} {
		v := view(t, &simulation{nodes: 5, failNode: "worker-3", speed: 1e6, start: time.Now()}, follow)
		assert.Equal(t, 1, v.Pools[0].Stuck)
		assert.Equal(t, 3, v.Pools[0].Done)
		assert.Equal(t, 1, v.Pools[0].Waiting)
	}
}
