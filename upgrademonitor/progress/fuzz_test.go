package progress_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func seeds(f *testing.F, n uint64) {
	f.Add([]byte{}, uint64(0))
	for seed := range n {
		data := make([]byte, 900)
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range data {
			data[i] = byte(random.UintN(256))
		}
		f.Add(data, seed)
	}
}

// FuzzNode decodes an object from bytes.
func FuzzNode(f *testing.F) {
	seeds(f, 100)
	f.Fuzz(func(t *testing.T, data []byte, _ uint64) {
		in := tape(data)
		m := in.object()
		before := m.DeepCopy()
		n := progress.Of(nil, m)
		require.Equal(t, before, m, "the argument changed")
		checkNode(t, n)
		require.Equal(t, n, progress.Of(nil, m))

		node := in.node(m.Name)
		nodeBefore := node.DeepCopy()
		checkNode(t, progress.Of(node, m))
		checkNode(t, progress.Of(node, nil))
		require.Equal(t, before, m, "the argument changed")
		require.Equal(t, nodeBefore, node, "the argument changed")
	})
}

// checkNode checks the invariants of a node.
func checkNode(t *testing.T, n progress.Node) {
	t.Helper()
	require.True(t, n.HasNode || len(n.Unavailable) == 0)
	require.False(t, n.IsAvailable() && (n.Degraded || n.InUpdate() || len(n.Unavailable) > 0))
	require.True(t, n.Degraded || len(n.Errors) == 0)
	require.True(t, n.HasObject || !n.Reported && !n.HasPinnedImages)
	require.True(t, n.Reported || n.HasNode || !n.InUpdate())
}
