// Package machineconfiguration has the names that the packages of this module share on
// MachineConfiguration/cluster: the types of the components' conditions, with their writers, and
// the Leases of these writers.
package machineconfiguration

// The processes that write conditions, and the other components that have some.
const (
	Operator   = "MachineConfigOperator"
	Controller = "MachineConfigController"
	Daemon     = "MachineConfigDaemon"
	Bootstrap  = "MachineConfigBootstrap"
)

// The Leases of the two processes, in their own namespace.
const (
	OperatorLease   = "machine-config"
	ControllerLease = "machine-config-controller"
)

// Condition is a type of condition.
type Condition struct {
	Component, Aspect string
	Writer            string // the one process that writes it
}

// Type returns the type as the object has it.
func (c Condition) Type() string { return c.Component + c.Aspect }

// Conditions are all types. A process cannot report that it is not running: the other one writes its
// Available.
var Conditions = []Condition{
	{Operator, "Degraded", Operator},
	{Operator, "Progressing", Operator},
	{Operator, "Available", Controller},
	{Controller, "Degraded", Controller},
	{Controller, "Progressing", Controller},
	{Controller, "Available", Operator},
	{Daemon, "Degraded", Operator},
	{Daemon, "Progressing", Operator},
	{Daemon, "Available", Operator},
	{Bootstrap, "Progressing", Operator},
}

// WrittenBy returns the conditions that a process writes.
func WrittenBy(writer string) []Condition {
	var own []Condition
	for _, c := range Conditions {
		if c.Writer == writer {
			own = append(own, c)
		}
	}
	return own
}
