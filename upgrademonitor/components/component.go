package components

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Component is a part of the machine config operator that has conditions of its own.
type Component string

// The components. The types of their conditions begin with these names.
const (
	Operator   Component = "MachineConfigOperator"
	Controller Component = "MachineConfigController"
	Daemon     Component = "MachineConfigDaemon" // all daemons together
	Bootstrap  Component = "MachineConfigBootstrap"
)

// Aspect is what a condition says about its component.
type Aspect string

// The aspects. The types of conditions end with these names.
const (
	Available   Aspect = "Available"
	Progressing Aspect = "Progressing"
	Degraded    Aspect = "Degraded"
)

// The reasons of conditions, besides the states.
const (
	reasonAsExpected            = "AsExpected"
	reasonStarting              = "Starting"
	reasonNoData                = "NoData"
	reasonComplete              = "Complete"
	reasonRollingOut            = "RollingOut"
	reasonDaemonSetUnavailable  = "DaemonSetUnavailable"
	reasonDeploymentUnavailable = "DeploymentUnavailable"
	reasonLeaseExpired          = "LeaseExpired"
)

// conditionType is a type of condition, and the one process that writes it.
type conditionType struct {
	component Component
	aspect    Aspect
	writer    Component
}

// name is the type as the object has it.
func (t conditionType) name() string { return string(t.component) + string(t.aspect) }

// conditionTypes are all types. A process cannot report that it is not running: the other one writes
// its Available.
var conditionTypes = []conditionType{
	{Operator, Degraded, Operator},
	{Operator, Progressing, Operator},
	{Operator, Available, Controller},
	{Controller, Degraded, Controller},
	{Controller, Progressing, Controller},
	{Controller, Available, Operator},
	{Daemon, Degraded, Operator},
	{Daemon, Progressing, Operator},
	{Daemon, Available, Operator},
	{Bootstrap, Progressing, Operator},
}

// writtenBy returns the types that a process writes.
func writtenBy(writer Component) []conditionType {
	return slices.DeleteFunc(slices.Clone(conditionTypes), func(t conditionType) bool { return t.writer != writer })
}

// TypeOf returns the type of a component's condition, "" if there is none: Bootstrap has only
// Progressing.
func TypeOf(c Component, a Aspect) string {
	for _, t := range conditionTypes {
		if t.component == c && t.aspect == a {
			return t.name()
		}
	}
	return ""
}

// own returns the conditions of a list that a process writes.
func own(list []metav1.Condition, writer Component) []metav1.Condition {
	var found []metav1.Condition
	for _, t := range writtenBy(writer) {
		if c := meta.FindStatusCondition(list, t.name()); c != nil {
			found = append(found, *c)
		}
	}
	return found
}

func equal(a, b []metav1.Condition) bool {
	return slices.EqualFunc(a, b, func(a, b metav1.Condition) bool {
		return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
			a.LastTransitionTime.Equal(&b.LastTransitionTime)
	})
}
