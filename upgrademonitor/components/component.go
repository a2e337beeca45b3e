package components

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/machineconfiguration"
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

// TypeOf returns the type of a component's condition, "" if there is none: Bootstrap has only
// Progressing.
func TypeOf(c Component, a Aspect) string {
	for _, t := range machineconfiguration.Conditions {
		if t.Component == string(c) && t.Aspect == string(a) {
			return t.Type()
		}
	}
	return ""
}

// isWriter reports whether a component is a process that writes conditions.
func isWriter(c Component) bool { return c == Operator || c == Controller }

// own returns the conditions of a list that a process writes.
func own(list []metav1.Condition, writer Component) []metav1.Condition {
	var found []metav1.Condition
	for _, t := range machineconfiguration.WrittenBy(string(writer)) {
		if c := meta.FindStatusCondition(list, t.Type()); c != nil {
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
