package components

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is an error of a component.
type Fault struct {
	Component Component
	State     State // Errored if the reason is not that of a state
	Message   string
	// Since is when the component became Degraded or, for a resolved error, when it was resolved.
	Since    metav1.Time
	Resolved bool
}

// MostRecentError returns the newest unresolved error, else the one that was resolved last, else
// false. A component that is Unknown still has the error that it had before.
func MostRecentError(list []metav1.Condition) (Fault, bool) {
	var newest Fault
	found := false
	for _, component := range withHealth {
		c := find(list, TypeOf(component, Degraded))
		if c == nil {
			continue
		}
		fault, ok := faultOf(component, *c)
		if !ok || found && !newest.olderThan(fault) {
			continue
		}
		newest, found = fault, true
	}
	return newest, found
}

// olderThan reports whether another fault takes precedence over this one.
func (f Fault) olderThan(other Fault) bool {
	if f.Resolved != other.Resolved {
		return f.Resolved
	}
	return f.Since.Time.Before(other.Since.Time)
}

// faultOf reads a Degraded condition.
func faultOf(component Component, c metav1.Condition) (Fault, bool) {
	fault, ok := Fault{State: stateOf(c.Reason), Message: c.Message, Since: c.LastTransitionTime}, true
	switch c.Status {
	case metav1.ConditionTrue:
	case metav1.ConditionFalse:
		fault, ok = parseLastError(c.Message)
		ok = ok && fault.Resolved
	default:
		_, sentence := cutLastError(c.Message)
		fault, ok = parseLastError(sentence)
	}
	fault.Component = component
	return fault, ok
}
