package planner

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// State has the fields of a MachineConfigNode that this library writes, and the generation. A State
// is immutable, including all memory that it refers to.
type State struct {
	Generation int64
	Owners     []metav1.OwnerReference
	Spec       mcfgv1.MachineConfigNodeSpec
	// Status has only fields that this library writes, and only conditions whose type is a phase.
	Status mcfgv1.MachineConfigNodeStatus
}

// HasSameStatus reports whether two states have the same status. It ignores the times of conditions.
func (s State) HasSameStatus(o State) bool {
	a, b := s.Status, o.Status
	return transitions.Equal(a.Conditions, b.Conditions) && a.ConfigImage == b.ConfigImage &&
		versionOf(a) == versionOf(b) && a.ObservedGeneration == b.ObservedGeneration &&
		slices.Equal(a.PinnedImageSets, b.PinnedImageSets)
}

func versionOf(status mcfgv1.MachineConfigNodeStatus) (v mcfgv1.MachineConfigNodeStatusMachineConfigVersion) {
	if status.ConfigVersion != nil {
		v = *status.ConfigVersion
	}
	return v
}

func (s State) isTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.Status.Conditions, p) == metav1.ConditionTrue
}

func (s State) neverReported(p phases.Phase) bool {
	return transitions.NeverReported(s.Status.Conditions, p)
}

func (s State) isUnderWay() bool { return transitions.IsUnderWay(s.Status.Conditions) }
