package conditions

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// ReasonNotYetOccurred is the reason of a phase that never ran.
const ReasonNotYetOccurred = "NotYetOccurred"

// IsReservedReason reports whether a reason means that a phase was never reported:
// ReasonNotYetOccurred, or NotYetOccured, as older daemons spell it.
func IsReservedReason(reason string) bool {
	return reason == ReasonNotYetOccurred || reason == "NotYetOccured"
}

// neverRan returns the condition of a phase that was never reported.
func neverRan(p phases.Phase, now metav1.Time) metav1.Condition {
	return metav1.Condition{
		Type:               string(p),
		Status:             metav1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             ReasonNotYetOccurred,
		Message:            fmt.Sprintf("This node has not yet entered the %s phase", p),
	}
}

// Complete returns every condition of the mode, in the order of phases.All. Conditions in the list
// stay as they are. A missing condition is added as False since now, with the reason
// ReasonNotYetOccurred. Conditions of the other mode, and of types that are not phases, are left
// out. If two conditions have the same type, the first is used.
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

// Ran reports whether a phase was reported since the last update ended. The condition of a phase
// that was never reported has a reserved reason (IsReservedReason). The message of an earlier
// report has the prefix of its update.
func Ran(list []metav1.Condition, p phases.Phase) bool {
	c := Find(list, p)
	return c != nil && !notStarted(c) && !HasUpdatePrefix(c.Message)
}

func notStarted(c *metav1.Condition) bool {
	return c.Status == metav1.ConditionFalse && IsReservedReason(c.Reason)
}
