package plan

import "fmt"

// Change is something that was accepted and is to become true of the object. It is immutable.
type Change interface {
	fmt.Stringer
	// View is the process's view of the Node when the change was accepted.
	View() Node
	// Plan returns the writes that make the change true of an object, or the error of a change
	// that is rejected.
	Plan(State) (Writes, error)
	// Absorb returns the change with the texts of a newer one that asks for the same, and false
	// for any other.
	Absorb(newer Change) (Change, bool)
}

// Writes are what makes a change true.
type Writes struct {
	// States are what to publish, one write each. The object may equal the last one already, but
	// for its Target.
	States []State
	// StartsUpdate is set if an update starts: the spec must follow the node first.
	StartsUpdate bool
}

// add adds a state, unless nothing has changed, and returns it as it is to be published.
func (p *Writes) add(before, next State) State {
	next.Status.ObservedGeneration = next.observedGeneration()
	if !next.Equal(before) || next.Target != before.Target {
		p.States = append(p.States, next)
	}
	return next
}
