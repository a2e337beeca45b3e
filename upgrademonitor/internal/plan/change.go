package plan

import "fmt"

// Change is an accepted change of the object. It is immutable.
type Change interface {
	fmt.Stringer
	// View is the process's view of the Node when the change was accepted.
	View() Node
	// Plan returns the writes that make the change, or why the change is rejected.
	Plan(State) (Writes, error)
	// Absorb returns the change with the texts of a newer change, and false if that reports
	// something else.
	Absorb(newer Change) (Change, bool)
}

// Writes are the writes of a change.
type Writes struct {
	// States are the states to publish, one write each. The last state may differ from the object
	// by its Target only.
	States []State
	// StartsUpdate is set if an update starts: the spec must follow the node first.
	StartsUpdate bool
}

// add adds a state, unless nothing has changed, and returns the state to publish.
func (p *Writes) add(before, next State) State {
	next.Status.ObservedGeneration = next.observedGeneration()
	if !next.Equal(before) || next.Target != before.Target {
		p.States = append(p.States, next)
	}
	return next
}
