package components

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Health is the result of HealthOf: it summarizes the conditions of a component.
type Health string

// The values of Health.
const (
	Healthy   Health = "Healthy"
	Unknown   Health = "Unknown"
	Unhealthy Health = "Unhealthy"
)

// withHealth has the components that have the conditions Degraded and Available.
var withHealth = []Component{Operator, Controller, Daemon}

// HealthOf returns the health of a component: Unhealthy if Degraded is True, whatever Available is.
// Otherwise Unknown if Degraded or Available is Unknown or missing, as for Bootstrap, which has neither.
// Otherwise Healthy or Unhealthy, as Available is True or False.
func HealthOf(list []metav1.Condition, c Component) Health {
	degraded, available := find(list, TypeOf(c, Degraded)).Status, find(list, TypeOf(c, Available)).Status
	switch {
	case degraded == metav1.ConditionTrue, degraded == metav1.ConditionFalse && available == metav1.ConditionFalse:
		return Unhealthy
	case degraded == metav1.ConditionFalse && available == metav1.ConditionTrue:
		return Healthy
	}
	return Unknown
}

// Overall returns the worst health of the operator, the controller and the daemons: Unhealthy, Unknown,
// Healthy.
func Overall(list []metav1.Condition) Health {
	worst := Healthy
	for _, c := range withHealth {
		if h := HealthOf(list, c); h == Unhealthy || worst == Healthy {
			worst = h
		}
	}
	return worst
}

// Fault is an error of a component, read from its Degraded condition.
type Fault struct {
	Component Component `json:"-"`
	State     State     `json:"state"` // the step that failed
	Message   string    `json:"message"`
	// Since is the time when Degraded became True or, if Resolved is set, when the error was resolved.
	Since    metav1.Time `json:"since"`
	Resolved bool        `json:"resolved"`
}

// MostRecentError returns the newest unresolved error of the operator, the controller and the daemons.
// If all errors are resolved, it returns the error that was resolved last. found is false if there is
// no error.
func MostRecentError(list []metav1.Condition) (newest Fault, found bool) {
	for _, component := range withHealth {
		f, ok := faultOf(component, find(list, TypeOf(component, Degraded)))
		isNewer := f.Resolved == newest.Resolved && newest.Since.Before(&f.Since)
		if ok && (!found || isNewer || newest.Resolved && !f.Resolved) {
			newest, found = f, true
		}
	}
	return newest, found
}

const lastErrorPrefix = "Last error, resolved "

// lastError returns the message of Degraded=False after an error. Only faultOf parses this message.
func lastError(degraded metav1.Condition, resolved time.Time) string {
	state := string(stateOf(degraded.Reason))
	return lastErrorPrefix + timestamp(resolved) + ", in " + state + ": " + degraded.Message
}

// faultOf returns the error in a Degraded condition: the current error or, if Degraded is False,
// the last error.
func faultOf(c Component, degraded metav1.Condition) (Fault, bool) {
	if degraded.Status == metav1.ConditionTrue {
		return Fault{c, stateOf(degraded.Reason), degraded.Message, degraded.LastTransitionTime, false}, true
	}
	at, text, _ := strings.Cut(strings.TrimPrefix(degraded.Message, lastErrorPrefix), ", in ")
	state, message, hasMessage := strings.Cut(text, ": ")
	resolved, err := time.Parse(time.RFC3339, at)
	if degraded.Status != metav1.ConditionFalse || err != nil || !hasMessage {
		return Fault{}, false
	}
	return Fault{c, State(state), message, metav1.NewTime(resolved), true}, true
}
