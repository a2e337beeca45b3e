package pending

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// possibleStarts are states of every kind that an object may be in before it was ever read: one
// that was just created; between updates; and in one for what the node is to have, or for
// something else, with every phase not started, running, or done.
func possibleStarts(node plan.Node) []plan.State {
	starts := []plan.State{{Object: &mcfgv1.MachineConfigNode{}}}
	for _, desired := range []string{node.DesiredConfig, "another"} {
		starts = append(starts, startOf(desired, metav1.ConditionTrue, metav1.ConditionFalse))
		for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue} {
			starts = append(starts, startOf(desired, metav1.ConditionFalse, status))
		}
	}
	return starts
}

// startOf is an object for a config, with a status of Updated and one of all other conditions.
func startOf(desired string, updated, others metav1.ConditionStatus) plan.State {
	object := &mcfgv1.MachineConfigNode{}
	object.Spec.ConfigVersion.Desired = desired
	object.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: desired}
	for _, p := range phases.All(false) {
		status := others
		if p == phases.Updated {
			status = updated
		}
		object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{Type: string(p), Status: status, Reason: string(p)})
	}
	return plan.State{Object: object}
}
