package progress_test

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	yes     = metav1.ConditionTrue

	configA = "rendered-worker-aaa"
	configB = "rendered-worker-bbb"
)

var start = time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC)

func target(config string) progress.Target { return progress.Target{Config: config} }

func at(minutes float64) time.Time { return start.Add(time.Duration(minutes * float64(time.Minute))) }

// mcn returns the object of a node that has configA, with changes.
func mcn(changes ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
	m := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", Generation: 2}}
	m.Spec.Pool.Name = "worker"
	m.Spec.ConfigVersion.Desired = configA
	m.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: configA, Desired: configA}
	m.Status.Conditions = conditions.Complete(nil, false, metav1.NewTime(start))
	for _, change := range changes {
		change(m)
	}
	return m
}

// is sets a condition.
func is(p phases.Phase, status metav1.ConditionStatus, minutes float64, message ...string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		for i := range m.Status.Conditions {
			if c := &m.Status.Conditions[i]; c.Type == string(p) {
				c.Status, c.Reason, c.Message, c.LastTransitionTime = status, string(p), "about "+string(p), metav1.NewTime(at(minutes))
				for _, message := range message {
					c.Message = message
				}
			}
		}
	}
}

func withDesired(config string) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) { m.Spec.ConfigVersion.Desired = config }
}
