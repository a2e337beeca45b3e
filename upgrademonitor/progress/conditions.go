package progress

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

func isTrue(list []metav1.Condition, p phases.Phase) bool {
	return conditions.StatusOf(list, p) == metav1.ConditionTrue
}

// isReported reports whether Updated was ever reported.
func isReported(list []metav1.Condition) bool {
	c := conditions.Find(list, phases.Updated)
	return c != nil && (c.Status != metav1.ConditionFalse || !conditions.IsReservedReason(c.Reason))
}

// isRunning reports whether a step that runs only during an update has started. It has also started if
// it was reset after Updated became False: another update has replaced an incomplete update.
func isRunning(list []metav1.Condition) bool {
	updated := conditions.Find(list, phases.Updated)
	return slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		isReset := updated != nil && conditions.HasUpdatePrefix(c.Message) && c.LastTransitionTime.After(updated.LastTransitionTime.Time)
		return phasetable.RunsOnlyInUpdate(p) && (c.Status != metav1.ConditionFalse || isReset)
	})
}
