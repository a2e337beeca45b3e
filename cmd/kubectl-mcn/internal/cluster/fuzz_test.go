package cluster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// FuzzPools decodes pools and objects from bytes. The result is consistent, and does not depend on their order.
func FuzzPools(f *testing.F) {
	mcntest.Seeds(f, 100)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		in := mcntest.Tape(data)
		var pools []*mcfgv1.MachineConfigPool
		for _, name := range []string{"worker", "master", ""}[:in.Pick(4)] {
			p := worker("")
			p.Name = name
			p.Status.MachineCount, p.Status.UpdatedMachineCount = int32(in.Pick(4)-1), int32(in.Pick(4)-1)
			p.Status.DegradedMachineCount, p.Status.UnavailableMachineCount = int32(in.Pick(4)-1), int32(in.Pick(4)-1)
			p.Spec.Configuration.Name = mcntest.OneOf(&in, configB, configA, "")
			p.Spec.Paused = in.Pick(4) == 1
			p.Spec.MaxUnavailable = mcntest.OneOf(&in, nil, &intstr.IntOrString{IntVal: 3}, &intstr.IntOrString{IntVal: math.MinInt32}, &intstr.IntOrString{Type: intstr.String, StrVal: "x%"}, &intstr.IntOrString{Type: 7})
			pools = append(pools, p)
		}
		var nodes []cluster.Node
		for len(in) > 0 {
			m := in.Object()
			m.Name = fmt.Sprintf("%s%d", m.Name, len(nodes))
			n := cluster.NewNode(nil, m)
			if in.Pick(8) == 1 {
				n.Unavailable = []progress.Unavailable{{Reason: progress.Cordoned}}
			}
			nodes = append(nodes, n)
		}
		now := in.Time()
		got := poolsOf(pools, nodes, now)
		total := 0
		for _, p := range got {
			checkPool(t, p)
			total += len(p.Nodes)
		}
		require.Len(t, nodes, total)

		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		random.Shuffle(len(pools), func(i, j int) { pools[i], pools[j] = pools[j], pools[i] })
		again := poolsOf(pools, nodes, now)
		require.Len(t, again, len(got))
		for i := range got {
			require.Equal(t, got[i], again[i], "the order of the pools and nodes must not matter")
		}
	})
}

func checkPool(t *testing.T, p cluster.Pool) {
	t.Helper()
	require.Equal(t, p.Total(), len(p.Nodes)+p.Missing, "the counts of the states must add up to all nodes")
	require.GreaterOrEqual(t, p.Typical, time.Duration(0))
	if p.Remaining != nil {
		require.GreaterOrEqual(t, *p.Remaining, time.Duration(0))
		require.False(t, p.Paused || p.Done < 3 || p.Blocked, "without three finished updates, or if the pool is paused or blocked, no remaining time is estimated")
	}
	count := map[cluster.State]int{}
	for _, n := range p.Nodes {
		count[n.State]++
		require.GreaterOrEqual(t, n.For, time.Duration(0))
	}
	if p.FromStatus {
		require.Empty(t, p.Nodes)
		require.GreaterOrEqual(t, min(p.Done, p.Stuck, p.Unreported), 0)
		return
	}
	byStatus := p.Done - count[cluster.Done] // counts the Missing machines
	require.True(t, byStatus >= 0 && byStatus <= p.Missing)
	require.Equal(t, []int{p.Done, count[cluster.Updating], count[cluster.Stuck], count[cluster.Waiting], count[cluster.Idle], count[cluster.Unreported] + p.Missing - byStatus},
		[]int{p.Done, p.Updating, p.Stuck, p.Waiting, p.Idle, p.Unreported})
	require.False(t, p.Blocked && !p.Full)
	require.Len(t, p.StuckNodes(), p.Stuck)
	for i, n := range p.Nodes {
		require.True(t, i == 0 || p.Nodes[i-1].Name <= n.Name)
	}
}
