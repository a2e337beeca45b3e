package transitions

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

// Complete returns one condition for each phase of the mode, in the order of phases.All. It adds
// missing conditions as False, and omits conditions of the other mode and of other clients. A list that is
// complete is returned as it is.
func Complete(list []metav1.Condition, inImageMode bool, now metav1.Time) []metav1.Condition {
	all := phasetable.In(inImageMode)
	isOf := func(c metav1.Condition, p phases.Phase) bool { return c.Type == string(p) }
	if slices.EqualFunc(list, all, isOf) {
		return list
	}
	complete := make([]metav1.Condition, 0, len(all))
	for _, p := range all {
		if c := conditions.Find(list, p); c != nil {
			complete = append(complete, *c)
			continue
		}
		complete = append(complete, metav1.Condition{
			Type:               string(p),
			Status:             metav1.ConditionFalse,
			LastTransitionTime: now,
			Reason:             conditions.NotYetOccurred,
			Message:            fmt.Sprintf("This node has not yet entered the %s phase", p),
		})
	}
	return complete
}

// Equal reports whether both lists have the same phases, with the same status, reason and message.
// It ignores times, and conditions whose type is not a phase.
func Equal(a, b []metav1.Condition) bool { return includes(a, b) && includes(b, a) }

func includes(list, other []metav1.Condition) bool {
	for i := range other {
		p := phases.Phase(other[i].Type)
		if phases.KindOf(p) == "" {
			continue
		}
		c, o := conditions.Find(list, p), conditions.Find(other, p)
		if c == nil || c.Status != o.Status || c.Reason != o.Reason || c.Message != o.Message {
			return false
		}
	}
	return true
}

// HasStarted reports whether the status of a phase is Unknown or True now.
func HasStarted(list []metav1.Condition, p phases.Phase) bool {
	return conditions.StatusOf(list, p) != metav1.ConditionFalse
}

// NeverReported reports whether a phase was never reported since the object was created.
func NeverReported(list []metav1.Condition, p phases.Phase) bool {
	c := conditions.Find(list, p)
	return c == nil || c.Status != metav1.ConditionTrue && conditions.IsReservedReason(c.Reason)
}

// IsUnderWay reports whether an update is under way: Updated was reported, and is not True.
func IsUnderWay(list []metav1.Condition) bool {
	return !NeverReported(list, phases.Updated) && conditions.StatusOf(list, phases.Updated) != metav1.ConditionTrue
}

// InImageMode reports whether an object with these conditions is in image mode: it has a phase that exists only
// in image mode. If it also has a phase that exists only in standard mode, the object is in the mode whose phases
// are Unknown or True. ImagePulledFromRegistry is ignored, because machine-config-operator creates it in both modes.
func InImageMode(list []metav1.Condition) bool {
	has := func(inImageMode, started bool) bool {
		return slices.ContainsFunc(list, func(c metav1.Condition) bool {
			p := phases.Phase(c.Type)
			return phasetable.ExistsIn(p, inImageMode) && !phasetable.ExistsIn(p, !inImageMode) &&
				p != phases.ImagePulledFromRegistry && (!started || HasStarted(list, p))
		})
	}
	if ranImage := has(true, true); ranImage != has(false, true) {
		return ranImage
	}
	return has(true, false)
}
