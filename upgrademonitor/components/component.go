package components

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Component is a part of the machine config operator that has conditions.
type Component string

// The components. The types of their conditions start with these names.
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

// conditionType is a type of condition, and the process that writes it.
type conditionType struct {
	component Component
	aspect    Aspect
	writer    Component
}

func (t conditionType) name() string { return string(t.component) + string(t.aspect) }

// conditionTypes are all types, in the order in which a process computes its conditions. A process
// cannot report that it is down, so another process writes its Available.
var conditionTypes = []conditionType{
	{Operator, Degraded, Operator},
	{Operator, Progressing, Operator},
	{Operator, Available, Controller},
	{Controller, Degraded, Controller},
	{Controller, Progressing, Controller},
	{Controller, Available, Operator},
	{Daemon, Progressing, Operator}, // Degraded depends on it
	{Daemon, Degraded, Operator},
	{Daemon, Available, Operator},
	{Bootstrap, Progressing, Operator},
}

// TypeOf returns the type of a component's condition, or "" if there is none: Bootstrap has only
// Progressing.
func TypeOf(c Component, a Aspect) string {
	for _, t := range conditionTypes {
		if t.component == c && t.aspect == a {
			return t.name()
		}
	}
	return ""
}

// find returns a condition of a component, or the zero Condition.
func find(list []metav1.Condition, c Component, a Aspect) metav1.Condition {
	name := TypeOf(c, a)
	if i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == name }); i >= 0 && name != "" {
		return list[i]
	}
	return metav1.Condition{}
}
