package phases

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TransitionError means that a phase must not change from one status to another. Nothing was written.
//
// Use errors.As to read a TransitionError:
//
//	var refused *phases.TransitionError
//	if errors.As(err, &refused) { … refused.Phase … }
type TransitionError struct {
	Phase Phase
	From  metav1.ConditionStatus
	To    metav1.ConditionStatus

	// Child is a child of Phase, or "". If Child is set, Phase cannot become True because Child is
	// Unknown.
	Child Phase
}

// Error names the transition, and says how to correct the report.
func (e *TransitionError) Error() string {
	advice := "only the start (Updated=False) or the end (Updated=True) of an update changes a phase from Unknown " +
		"to False; if the phase failed, report Unknown with the cause; if the phase is no longer needed, call NotRequired"
	switch {
	case e.Child != "":
		advice = fmt.Sprintf(
			"its child %[1]s is Unknown; first report True for %[1]s, or call NotRequired for %[1]s", e.Child)
	case e.Phase == Updated:
		advice = "Updated is never Unknown; report False when an update starts, and True when the update ends"
	}
	return fmt.Sprintf("phase %s: invalid transition from %s to %s: %s", e.Phase, e.From, e.To, advice)
}
