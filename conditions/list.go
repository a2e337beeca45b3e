package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// StatusOf returns the status of a phase in the list; a missing condition counts as False.
func StatusOf(list []metav1.Condition, p phases.Phase) metav1.ConditionStatus {
	if c := Find(list, p); c != nil {
		return c.Status
	}
	return metav1.ConditionFalse
}

// Ran reports whether a phase was reported in the current update: its condition is not the
// Default, and its message has no prefix of an earlier update.
func Ran(list []metav1.Condition, p phases.Phase) bool {
	c := Find(list, p)
	return c != nil && !notStarted(c) && !HasUpdatePrefix(c.Message)
}

// Equal reports whether the list has the conditions of want, with the same status, reason and
// message, and no other condition of a phase. Times, and conditions that are not phases, are
// ignored.
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

// with returns the list with one condition changed.
func with(list []metav1.Condition, p phases.Phase, status metav1.ConditionStatus, reason, message string) []metav1.Condition {
	list = slices.Clone(list)
	set(list, p, status, reason, message)
	return list
}

func set(list []metav1.Condition, p phases.Phase, status metav1.ConditionStatus, reason, message string) {
	c := Find(list, p)
	c.Status, c.Reason, c.Message = status, reason, message
}
