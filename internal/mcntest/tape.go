package mcntest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

// Tape decodes choices from bytes. At its end, each choice is 0.
type Tape []byte

// Pick returns a number below n.
func (t *Tape) Pick(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

// OneOf returns one of the values.
func OneOf[T any](t *Tape, values ...T) T { return values[t.Pick(len(values))] }

// Time returns any time.
func (t *Tape) Time() time.Time {
	switch t.Pick(12) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(math.MaxInt64/2, 0)
	case 2:
		return time.Unix(math.MinInt64/2, 0)
	case 3:
		return At(1e6)
	}
	return At(float64(t.Pick(256)) / 2)
}

var everyType = append([]phases.Phase{"", "Foreign"}, phasetable.Both()...)

// Object returns an object whose fields have any values.
func (t *Tape) Object() *mcfgv1.MachineConfigNode {
	m := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: OneOf(t, "a", "b", "c", "d", "e", "f", "g", "h", ""), Generation: int64(t.Pick(4) - 1)}}
	m.Spec.Pool.Name = OneOf(t, "worker", "worker", "worker", "master", "")
	m.Spec.ConfigVersion.Desired = OneOf(t, ConfigB, ConfigA, "not-yet-set", "")
	if t.Pick(8) > 0 {
		m.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: OneOf(t, ConfigB, ConfigA, ""), Desired: OneOf(t, ConfigA, ConfigB, "not-yet-set")}
	}
	m.Spec.ConfigImage.DesiredImage = OneOf[mcfgv1.ImageDigestFormat](t, "", "", "", "x", "y")
	m.Status.ConfigImage.CurrentImage = OneOf[mcfgv1.ImageDigestFormat](t, "", "", "", "x", "y")
	for range t.Pick(3) {
		e := Entry(OneOf(t, `{"f:spec":{}}`, `{"f:metadata":{}}`, `{"f:spec"`, ``, `null`, "\xff"), t.Time())
		if t.Pick(8) == 1 {
			e.FieldsV1, e.Time = nil, nil
		}
		m.ManagedFields = append(m.ManagedFields, e)
	}
	for range t.Pick(24) {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
			Type:               string(everyType[t.Pick(len(everyType))]),
			Status:             OneOf[metav1.ConditionStatus](t, "False", "Unknown", "True", "False", "Unknown", "True", "", "Bogus"),
			Reason:             OneOf(t, "Ran", "NotYetOccurred", "NotYetOccured", ""),
			Message:            OneOf(t, "draining", "Action during update to a: drained", "an error\x1b[2J\xff", "", strings.Repeat("e", 40000)),
			LastTransitionTime: metav1.NewTime(t.Time()),
		})
	}
	return m
}

// Node returns a Node whose annotations have any values.
func (t *Tape) Node(name string) *corev1.Node {
	n := Node()
	n.Name = name
	for _, key := range []string{nodemeta.DesiredConfig, nodemeta.CurrentConfig} {
		if t.Pick(8) > 0 {
			n.Annotations[key] = OneOf(t, ConfigB, ConfigB, ConfigA, "")
		}
	}
	for _, key := range []string{nodemeta.DesiredImage, nodemeta.CurrentImage} {
		if t.Pick(4) == 1 {
			n.Annotations[key] = OneOf(t, "x", "y", "")
		}
	}
	n.Annotations[nodemeta.State] = OneOf(t, "Done", "Done", "Done", "Working", "Degraded", "Unreconcilable", "Rebooting", "")
	n.Annotations[nodemeta.Reason] = OneOf(t, "", "disk full", "draining", "\xff")
	for _, kind := range []corev1.NodeConditionType{corev1.NodeDiskPressure, corev1.NodeNetworkUnavailable, corev1.NodeMemoryPressure} {
		if status := OneOf[corev1.ConditionStatus](t, "False", "False", "False", "False", "", "True", "Unknown"); status != "" {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: status})
		}
	}
	n.Status.Conditions[0].Status = OneOf[corev1.ConditionStatus](t, "True", "True", "True", "True", "True", "False", "Unknown")
	n.Spec.Unschedulable = t.Pick(8) == 1
	return n
}

// Seeds adds n random tapes to a fuzz target.
func Seeds(f *testing.F, n uint64) {
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
