package phases

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TransitionError says that a phase may not move as asked. Nothing has changed.
//
// Use errors.As to read it:
//
//	var refused *phases.TransitionError
//	if errors.As(err, &refused) { … refused.Phase … }
type TransitionError struct {
	Phase Phase
	From  metav1.ConditionStatus
	To    metav1.ConditionStatus
}

// Error says what was refused and what would be right.
func (e *TransitionError) Error() string {
	if e.Phase == Updated {
		return fmt.Sprintf("phase %s cannot go from %s to %s: report False when an update begins and True when it is over", e.Phase, e.From, e.To)
	}
	return fmt.Sprintf("phase %s cannot go from %s to %s: a phase that ran is taken back only by a new update (Updated=False) or by the end of one (Updated=True); report Unknown with the cause when it failed", e.Phase, e.From, e.To)
}

// UnknownPhaseError says that a name is no phase of a MachineConfigNode.
type UnknownPhaseError struct {
	Phase Phase
}

// Error names the phase that is not known.
func (e *UnknownPhaseError) Error() string {
	return fmt.Sprintf("unknown phase %q: use one of phases.All", e.Phase)
}

// ModeError says that a phase does not exist in the mode that the node is in.
type ModeError struct {
	Phase     Phase
	ImageMode bool // the mode that the node is in
}

// Error names the mode and points to the phases that it has.
func (e *ModeError) Error() string {
	mode, gate := "standard mode", "off"
	if e.ImageMode {
		mode, gate = "image mode", "on"
	}
	return fmt.Sprintf("phase %s does not exist in %s (feature gate ImageModeStatusReporting is %s): use one of phases.All(%t)", e.Phase, mode, gate, e.ImageMode)
}

// StatusError says that a value is no status of a condition.
type StatusError struct {
	Status metav1.ConditionStatus
}

// Error names the value and the three that are right.
func (e *StatusError) Error() string {
	return fmt.Sprintf("invalid status %q: use True, False or Unknown", e.Status)
}
