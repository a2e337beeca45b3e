package components

import "time"

// Observer is notified of what a process does, for metrics: many steps are too short for a condition.
// Its methods are called by the callers of Begin and End, and by Run. They must be safe for concurrent
// use, and must not block.
type Observer interface {
	// Entered is called when a pass of a state begins.
	Entered(Component, State)
	// Left is called when it ends, with its duration and its error.
	Left(Component, State, time.Duration, error)
	// HealthChanged is called with the health of a component, when it is first known and when it
	// changes. Each process observes all components, as reported by the object.
	HealthChanged(Component, Health)
	// Wrote is called after a request to write the conditions, with its duration and its error.
	Wrote(time.Duration, error)
}
