package components

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Component is a part of the machine-config-operator that has conditions on
// MachineConfiguration/cluster.
type Component string

// The components. A condition type is the name of a component, followed by an Aspect.
const (
	Operator   Component = "MachineConfigOperator"
	Controller Component = "MachineConfigController"
	Daemon     Component = "MachineConfigDaemon" // all daemons together
	Bootstrap  Component = "MachineConfigBootstrap"
)

// Aspect is the second part of a condition type: the property that the condition describes.
type Aspect string

// The aspects.
const (
	Available   Aspect = "Available"
	Progressing Aspect = "Progressing"
	Degraded    Aspect = "Degraded"
)

// TypeOf returns the type of a component's condition, for example MachineConfigOperatorDegraded. Bootstrap
// has only the condition Progressing.
func TypeOf(c Component, a Aspect) string { return string(c) + string(a) }

// find returns a condition, or the zero value.
func find(list []metav1.Condition, name string) metav1.Condition {
	if found := meta.FindStatusCondition(list, name); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// writer is a component that has a Reporter.
type writer struct {
	fieldManager string
	sync         State    // a whole sync; the states of its steps begin with this State
	writes       []string // condition types, in the order in which the conditions are computed
}

var writers = map[Component]writer{
	Operator: {"machine-config-operator-state", OperatorSync, []string{
		TypeOf(Operator, Degraded),
		TypeOf(Operator, Progressing),
		TypeOf(Controller, Available),
		TypeOf(Daemon, Progressing), // must precede Degraded, which depends on Progressing
		TypeOf(Daemon, Degraded),
		TypeOf(Daemon, Available),
		TypeOf(Bootstrap, Progressing),
	}},
	Controller: {"machine-config-controller-state", MCCSync, []string{
		TypeOf(Controller, Degraded),
		TypeOf(Controller, Progressing),
		TypeOf(Operator, Available),
	}},
}
