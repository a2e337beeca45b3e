package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// StatusOf returns the status of a phase in the list. A missing condition counts as False.
func StatusOf(list []metav1.Condition, p phases.Phase) metav1.ConditionStatus {
	if c := Find(list, p); c != nil {
		return c.Status
	}
	return metav1.ConditionFalse
}

// Equal reports whether both lists have the same phases, with the same status, reason and message.
// It ignores times, and conditions whose type is not a phase.
func Equal(list, want []metav1.Condition) bool {
	for i := range want {
		c := Find(list, phases.Phase(want[i].Type))
		if c == nil || !equalText(c, &want[i]) || c.Status != want[i].Status {
			return false
		}
	}
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		return phases.KindOf(p) != "" && Find(want, p) == nil
	})
}

func equalText(a, b *metav1.Condition) bool {
	return a.Reason == b.Reason && a.Message == b.Message
}

// Find returns a pointer to the first condition of a phase in the list, or nil.
func Find(list []metav1.Condition, p phases.Phase) *metav1.Condition {
	for i := range list {
		if list[i].Type == string(p) {
			return &list[i]
		}
	}
	return nil
}

func set(list []metav1.Condition, p phases.Phase, status metav1.ConditionStatus, reason, message string) {
	c := Find(list, p)
	c.Status, c.Reason, c.Message = status, reason, message
}
