package mco_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
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

// node decodes a Node, whose annotations may say anything.
func (t *tape) node(name string) *corev1.Node {
	n := newNode()
	n.Name, n.UID = name, "uid-0"
	for _, key := range []string{"desiredConfig", "currentConfig"} {
		if t.pick(8) > 0 {
			n.Annotations[annotation+key] = oneOf(t, configB, configB, configA, "")
		}
	}
	for _, key := range []string{"desiredImage", "currentImage"} {
		if t.pick(4) == 1 {
			n.Annotations[annotation+key] = oneOf(t, "x", "y", "")
		}
	}
	n.Annotations[annotation+"state"] = oneOf(t, "Done", "Done", "Done", "Working", "Degraded", "Unreconcilable", "Rebooting", "")
	n.Annotations[annotation+"reason"] = oneOf(t, "", "disk full", "draining", "\xff")
	for _, kind := range []corev1.NodeConditionType{corev1.NodeDiskPressure, corev1.NodeNetworkUnavailable, corev1.NodeMemoryPressure} {
		if status := oneOf[corev1.ConditionStatus](t, "False", "False", "False", "False", "", "True", "Unknown"); status != "" {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: status})
		}
	}
	n.Status.Conditions[0].Status = oneOf[corev1.ConditionStatus](t, "True", "True", "True", "True", "True", "False", "Unknown")
	n.Spec.Unschedulable = t.pick(8) == 1
	return n
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
		n := mco.Of(nil, m)
		require.Equal(t, before, m, "the argument changed")
		checkNode(t, n)
		require.Equal(t, n, mco.Of(nil, m))

		node := in.node(m.Name)
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
	require.Contains(t, []int{0, 7, 9}, len(n.Steps))
	require.Equal(t, n.Step != "", len(n.Steps) > 0)
	require.True(t, n.InUpdate() || n.Step == "" && !n.NotStarted())
	require.True(t, n.HasNode || len(n.Unavailable) == 0)
	require.False(t, n.IsAvailable() && (n.Degraded || n.InUpdate() || len(n.Unavailable) > 0))
	require.True(t, n.Degraded || len(n.Errors) == 0)
	require.True(t, n.HasObject || !n.Reported)
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
	if n.Step != "" && n.Step != phases.Updated {
		require.True(t, slices.ContainsFunc(n.Steps, func(s mco.Step) bool { return s.Phase == n.Step && s.State != mco.Finished }))
	}
}
