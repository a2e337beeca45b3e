package progress

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

func messageOf(list []metav1.Condition, p phases.Phase) string {
	if c := conditions.Find(list, p); c != nil {
		return c.Message
	}
	return ""
}

func timeOf(list []metav1.Condition, p phases.Phase) time.Time {
	if c := conditions.Find(list, p); c != nil {
		return c.LastTransitionTime.UTC()
	}
	return time.Time{}
}

// sinceTrue reports whether a condition is True, and since when.
func sinceTrue(list []metav1.Condition, p phases.Phase) (bool, time.Time) {
	if conditions.StatusOf(list, p) != metav1.ConditionTrue {
		return false, time.Time{}
	}
	return true, timeOf(list, p)
}

// isNotYet reports whether the phase of a condition was never reported.
func isNotYet(c *metav1.Condition) bool {
	return c.Status == metav1.ConditionFalse && conditions.IsReservedReason(c.Reason)
}

// isReset reports whether the start or the end of an update has reset the condition of a phase that
// ran.
func isReset(c *metav1.Condition) bool {
	return c.Status == metav1.ConditionFalse && conditions.HasUpdatePrefix(c.Message)
}
