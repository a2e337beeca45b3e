package components

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
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
// false.
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
	switch c.Status {
	case metav1.ConditionTrue:
		return Fault{Component: component, State: stateOf(c.Reason), Message: c.Message, Since: c.LastTransitionTime}, true
	case metav1.ConditionFalse:
		fault, ok := parseResolved(c.Message)
		fault.Component = component
		return fault, ok
	default:
		return Fault{}, false
	}
}

// The message of Degraded=False after an error:
//
//	Last error, resolved 2026-05-22T12:37:24Z, in OperatorSyncMCD: timed out
const (
	resolvedPrefix = "Last error, resolved "
	resolvedState  = ", in "
	resolvedText   = ": "
)

func resolvedMessage(s State, message string, at time.Time) string {
	text := resolvedPrefix + at.UTC().Format(time.RFC3339) + resolvedState + string(s) + resolvedText + message
	return oneLine(conditions.TruncateTo(text, maxResolved), maxMessage)
}

func parseResolved(message string) (Fault, bool) {
	rest, ok := strings.CutPrefix(message, resolvedPrefix)
	if !ok {
		return Fault{}, false
	}
	at, rest, ok := strings.Cut(rest, resolvedState)
	if !ok {
		return Fault{}, false
	}
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return Fault{}, false
	}
	state, text, ok := strings.Cut(rest, resolvedText)
	if !ok || !isState(State(state)) {
		return Fault{}, false
	}
	return Fault{State: State(state), Message: text, Since: metav1.NewTime(when), Resolved: true}, true
}
