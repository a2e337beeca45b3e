package cluster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// tape decodes choices from bytes; at its end, each is 0.
type tape []byte

func (t *tape) pick(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

func oneOf[T any](t *tape, values ...T) T { return values[t.pick(len(values))] }

func (t *tape) time() time.Time {
	switch t.pick(12) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(math.MaxInt64/2, 0)
	case 2:
		return time.Unix(math.MinInt64/2, 0)
	case 3:
		return at(1e6)
	}
	return at(float64(t.pick(256)) / 2)
}

var everyType = append(append([]phases.Phase{"", "Foreign"}, phases.All(true)...), phases.AppliedFilesAndOS)

func (t *tape) object() *mcfgv1.MachineConfigNode {
	m := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: oneOf(t, "a", "b", "c", "d", "e", "f", "g", "h", ""), Generation: int64(t.pick(4) - 1)}}
	m.Spec.Pool.Name = oneOf(t, "worker", "worker", "worker", "master", "")
	m.Spec.ConfigVersion.Desired = oneOf(t, configB, configA, "not-yet-set", "")
	if t.pick(8) > 0 {
		m.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: oneOf(t, configB, configA, ""), Desired: oneOf(t, configA, configB, "not-yet-set")}
	}
	m.Spec.ConfigImage.DesiredImage = oneOf[mcfgv1.ImageDigestFormat](t, "", "", "", "x", "y")
	m.Status.ConfigImage.CurrentImage = oneOf[mcfgv1.ImageDigestFormat](t, "", "", "", "x", "y")
	for range t.pick(3) {
		e := entry(oneOf(t, `{"f:spec":{}}`, `{"f:metadata":{}}`, `{"f:spec"`, ``, `null`, "\xff"), t.time())
		if t.pick(8) == 1 {
			e.FieldsV1, e.Time = nil, nil
		}
		m.ManagedFields = append(m.ManagedFields, e)
	}
	for range t.pick(24) {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
			Type:               string(everyType[t.pick(len(everyType))]),
			Status:             oneOf(t, no, running, yes, no, running, yes, "", "Bogus"),
			Reason:             oneOf(t, "Ran", "NotYetOccurred", "NotYetOccured", ""),
			Message:            oneOf(t, "draining", "Action during update to a: drained", "an error\x1b[2J\xff", "", strings.Repeat("e", 40000)),
			LastTransitionTime: metav1.NewTime(t.time()),
		})
	}
	return m
}

func seeds(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	for seed := range uint64(100) {
		data := make([]byte, 900)
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range data {
			data[i] = byte(random.UintN(256))
		}
		f.Add(data, seed)
	}
}

// FuzzPools decodes pools and objects from bytes.
func FuzzPools(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		in := tape(data)
		var pools []*mcfgv1.MachineConfigPool
		for _, name := range []string{"worker", "master", ""}[:in.pick(4)] {
			p := worker("")
			p.Name = name
			p.Status.MachineCount, p.Status.UpdatedMachineCount = int32(in.pick(4)-1), int32(in.pick(4)-1)
			p.Status.DegradedMachineCount, p.Status.UnavailableMachineCount = int32(in.pick(4)-1), int32(in.pick(4)-1)
			p.Spec.Configuration.Name = oneOf(&in, configB, configA, "")
			p.Spec.Paused = in.pick(4) == 1
			p.Spec.MaxUnavailable = oneOf(&in, nil, &intstr.IntOrString{IntVal: 3}, &intstr.IntOrString{IntVal: math.MinInt32}, &intstr.IntOrString{Type: intstr.String, StrVal: "x%"}, &intstr.IntOrString{Type: 7})
			pools = append(pools, p)
		}
		var nodes []cluster.Node
		for len(in) > 0 {
			m := in.object()
			m.Name = fmt.Sprintf("%s%d", m.Name, len(nodes))
			n := cluster.NewNode(nil, m)
			if in.pick(8) == 1 {
				n.Unavailable = []progress.Unavailable{{Reason: progress.Cordoned}}
			}
			nodes = append(nodes, n)
		}
		now := in.time()
		limits := cluster.Limits{StuckAfter: time.Duration(in.pick(3)-1) * time.Minute}
		got := poolsOf(pools, nodes, now, limits)
		total := 0
		for _, p := range got {
			checkPool(t, p)
			total += len(p.Nodes)
		}
		require.Len(t, nodes, total)

		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		random.Shuffle(len(pools), func(i, j int) { pools[i], pools[j] = pools[j], pools[i] })
		again := poolsOf(pools, nodes, now, limits)
		require.Len(t, again, len(got))
		for i := range got {
			require.Equal(t, got[i], again[i], "in another order")
		}
	})
}

func checkPool(t *testing.T, p cluster.Pool) {
	t.Helper()
	require.Equal(t, p.Total(), len(p.Nodes)+p.Missing, "the states do not add up")
	require.GreaterOrEqual(t, p.Typical, time.Duration(0))
	if p.Remaining != nil {
		require.GreaterOrEqual(t, *p.Remaining, time.Duration(0))
		require.False(t, p.Paused || p.Done < 3 || p.Blocked, "an estimate that is a guess")
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
	require.Equal(t, []int{count[cluster.Done], count[cluster.Updating], count[cluster.Stuck], count[cluster.Waiting], count[cluster.Idle], count[cluster.Unreported] + p.Missing},
		[]int{p.Done, p.Updating, p.Stuck, p.Waiting, p.Idle, p.Unreported})
	require.False(t, p.Blocked && !p.Full)
	require.Len(t, p.StuckNodes(), p.Stuck)
	for i, n := range p.Nodes {
		require.True(t, i == 0 || p.Nodes[i-1].Name <= n.Name)
	}
}
