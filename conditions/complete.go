package conditions

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// ReasonNotYetOccurred is the reason of a condition whose phase was never reported.
const ReasonNotYetOccurred = "NotYetOccurred"

// IsReservedReason reports whether the reason of a condition means that its phase was never
// reported. It is true for ReasonNotYetOccurred, and for NotYetOccured, which older daemons write.
func IsReservedReason(reason string) bool {
	return reason == ReasonNotYetOccurred || reason == "NotYetOccured"
}

func neverRan(p phases.Phase, now metav1.Time) metav1.Condition {
	return metav1.Condition{
		Type:               string(p),
		Status:             metav1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             ReasonNotYetOccurred,
		Message:            fmt.Sprintf("This node has not yet entered the %s phase", p),
	}
}

// Complete returns one condition for each phase of the mode, in the order of phases.All. It copies
// the conditions of the list, and adds missing conditions as False, with the reason
// ReasonNotYetOccurred and the lastTransitionTime now. It omits conditions of the other mode, and
// conditions whose type is not a phase. If two conditions have the same type, it copies the first.
func Complete(list []metav1.Condition, imageMode bool, now metav1.Time) []metav1.Condition {
	all := phases.All(imageMode)
	complete := make([]metav1.Condition, 0, len(all))
	for _, p := range all {
		if c := Find(list, p); c != nil {
			complete = append(complete, *c)
		} else {
			complete = append(complete, neverRan(p, now))
		}
	}
	return complete
}

// Ran reports whether the status of a phase is Unknown or True. For a step, this means that the step
// has started in the current update.
func Ran(list []metav1.Condition, p phases.Phase) bool {
	return StatusOf(list, p) != metav1.ConditionFalse
}
