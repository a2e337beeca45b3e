package components

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Health summarizes the conditions of a component.
type Health string

// The values of Health.
const (
	Healthy   Health = "Healthy"
	Unknown   Health = "Unknown"
	Unhealthy Health = "Unhealthy"
)

// withHealth are the components that have the conditions that determine health.
var withHealth = []Component{Operator, Controller, Daemon}

// HealthOf returns the health of a component:
//
//   - Unknown if its Available or Degraded is missing or Unknown, as they always are for Bootstrap,
//   - Healthy if Available is True and Degraded is False,
//   - Unhealthy otherwise.
func HealthOf(conditions []metav1.Condition, c Component) Health {
	available, degraded := statusOf(conditions, TypeOf(c, Available)), statusOf(conditions, TypeOf(c, Degraded))
	switch {
	case available == metav1.ConditionUnknown, degraded == metav1.ConditionUnknown:
		return Unknown
	case available == metav1.ConditionTrue && degraded == metav1.ConditionFalse:
		return Healthy
	default:
		return Unhealthy
	}
}

// Overall returns the worst health of the operator, the controller and the daemons: Unhealthy is
// worse than Unknown, and Unknown worse than Healthy.
func Overall(conditions []metav1.Condition) Health {
	worst := Healthy
	for _, c := range withHealth {
		switch HealthOf(conditions, c) {
		case Unhealthy:
			return Unhealthy
		case Unknown:
			worst = Unknown
		}
	}
	return worst
}

// statusOf returns the status of a condition, Unknown for a missing one and for an invalid status.
func statusOf(conditions []metav1.Condition, name string) metav1.ConditionStatus {
	c := meta.FindStatusCondition(conditions, name)
	if name == "" || c == nil || c.Status != metav1.ConditionTrue && c.Status != metav1.ConditionFalse {
		return metav1.ConditionUnknown
	}
	return c.Status
}
