package components

// Component is a part of the machine config operator that has conditions of its own.
type Component string

// The components. Each name begins the types of its conditions.
const (
	Operator   Component = "MachineConfigOperator"
	Controller Component = "MachineConfigController"
	Daemon     Component = "MachineConfigDaemon" // all daemons together
	Bootstrap  Component = "MachineConfigBootstrap"
)

// Aspect is what a condition reports of its component.
type Aspect string

// The aspects. Each name ends the types of its conditions.
const (
	Available   Aspect = "Available"
	Progressing Aspect = "Progressing"
	Degraded    Aspect = "Degraded"
)

// conditionType is one of the conditions, and the process that writes it.
type conditionType struct {
	component Component
	aspect    Aspect
	writer    Component
}

func (t conditionType) name() string { return string(t.component) + string(t.aspect) }

// judged reports whether a process writes the condition of another component.
func (t conditionType) judged() bool { return t.component != t.writer && t.component != Bootstrap }

// conditionTypes are all conditions, in the order in which they are written. Each has one writer:
// a process cannot report that it is not running, so that another one writes its Available.
var conditionTypes = []conditionType{
	{Operator, Degraded, Operator},
	{Operator, Progressing, Operator},
	{Controller, Available, Operator},
	{Daemon, Degraded, Operator},
	{Daemon, Available, Operator},
	{Daemon, Progressing, Operator},
	{Bootstrap, Progressing, Operator},
	{Controller, Degraded, Controller},
	{Controller, Progressing, Controller},
	{Operator, Available, Controller},
}

// TypeOf returns the type of a component's condition, "" if it has none: Bootstrap has only
// Progressing.
func TypeOf(c Component, a Aspect) string {
	for _, t := range conditionTypes {
		if t.component == c && t.aspect == a {
			return t.name()
		}
	}
	return ""
}

// typesOf returns the conditions that a process writes.
func typesOf(writer Component) []conditionType {
	var types []conditionType
	for _, t := range conditionTypes {
		if t.writer == writer {
			types = append(types, t)
		}
	}
	return types
}

// isWriter reports whether a component is a process that writes conditions.
func isWriter(c Component) bool { return c == Operator || c == Controller }
