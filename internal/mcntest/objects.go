// Package mcntest builds Nodes and MachineConfigNodes for the tests of packages that read them: with a few
// changes, or at random from bytes.
package mcntest

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// The configs of the objects.
const (
	ConfigA = "rendered-worker-aaa"
	ConfigB = "rendered-worker-bbb"
)

var start = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)

// At returns a time that is so many minutes after the start of a test.
func At(minutes float64) time.Time { return start.Add(time.Duration(minutes * float64(time.Minute))) }

// Object returns the object of a node that has ConfigA, with changes.
func Object(changes ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
	m := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", Generation: 2}}
	m.Spec.Pool.Name = "worker"
	m.Spec.ConfigVersion.Desired = ConfigA
	m.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: ConfigA, Desired: ConfigA}
	m.Status.Conditions = transitions.Complete(nil, false, metav1.NewTime(start))
	for _, change := range changes {
		change(m)
	}
	return m
}

// Is sets a condition.
func Is(p phases.Phase, status metav1.ConditionStatus, minutes float64, message ...string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		c := conditions.Find(m.Status.Conditions, p)
		if c == nil {
			return
		}
		c.Status, c.Reason, c.Message, c.LastTransitionTime = status, string(p), "about "+string(p), metav1.NewTime(At(minutes))
		for _, message := range message {
			c.Message = message
		}
	}
}

// Desires sets the desired config of the spec.
func Desires(config string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) { m.Spec.ConfigVersion.Desired = config }
}

// Managed sets the managed fields.
func Managed(entries ...metav1.ManagedFieldsEntry) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) { m.ManagedFields = entries }
}

// Entry returns the managed fields of the operator.
func Entry(fields string, at time.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: "machine-config-operator", Operation: metav1.ManagedFieldsOperationApply, APIVersion: mcfgv1.GroupVersion.String(),
		Time: &metav1.Time{Time: at}, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

// Node returns a Node that is ready, with pairs of an annotation, without its prefix, and its value.
func Node(pairs ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "uid-0", Annotations: map[string]string{}}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for i := 0; i < len(pairs); i += 2 {
		n.Annotations[nodemeta.Prefix+pairs[i]] = pairs[i+1]
	}
	return n
}
