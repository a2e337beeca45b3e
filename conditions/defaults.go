package conditions

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// ReasonNotYetOccurred is the reason of a phase that never ran.
const ReasonNotYetOccurred = "NotYetOccurred"

// Default is the condition of a phase that never ran: False, since now.
func Default(p phases.Phase, now metav1.Time) metav1.Condition {
	return metav1.Condition{
		Type:               string(p),
		Status:             metav1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             ReasonNotYetOccurred,
		Message:            fmt.Sprintf("This node has not yet entered the %s phase", p),
	}
}

// Complete returns every condition of the mode, in the order of phases.All: those of
// the list as they are, and a Default for each that is missing. Conditions of the other
// mode and of foreign types are left out; of two of one type the first counts.
func Complete(list []metav1.Condition, imageMode bool, now metav1.Time) []metav1.Condition {
	all := phases.All(imageMode)
	complete := make([]metav1.Condition, 0, len(all))
	for _, p := range all {
		if c := find(list, p); c != nil {
			complete = append(complete, *c)
		} else {
			complete = append(complete, Default(p, now))
		}
	}
	return complete
}

// StatusOf returns the status of a phase in the list; a missing condition counts as False.
func StatusOf(list []metav1.Condition, p phases.Phase) metav1.ConditionStatus {
	if c := find(list, p); c != nil {
		return c.Status
	}
	return metav1.ConditionFalse
}

// Ran reports whether a phase has run in the update under way: it is not False, or says
// something that is not of an earlier update.
func Ran(list []metav1.Condition, p phases.Phase) bool {
	c := find(list, p)
	return c != nil && !neverRan(c) && !isPrefixed(c.Message)
}

// Same reports whether the list shows just what want shows: each condition of want with
// its status, reason and message, and none of a phase that want does not have. Times and
// foreign conditions do not count.
func Same(list, want []metav1.Condition) bool {
	for i := range want {
		c := find(list, phases.Phase(want[i].Type))
		if c == nil || !sameText(c, &want[i]) || c.Status != want[i].Status {
			return false
		}
	}
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		return phases.KindOf(p) != "" && find(want, p) == nil
	})
}

func sameText(a, b *metav1.Condition) bool {
	return a.Reason == b.Reason && a.Message == b.Message
}

// find returns the condition of a phase, to read or, in a list of our own, to write.
func find(list []metav1.Condition, p phases.Phase) *metav1.Condition {
	for i := range list {
		if list[i].Type == string(p) {
			return &list[i]
		}
	}
	return nil
}
