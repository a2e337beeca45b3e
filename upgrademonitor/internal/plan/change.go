package plan

import "fmt"

// Change is an accepted change of the object. It is immutable.
type Change interface {
	fmt.Stringer
	// View returns the Node as this process saw it when the change was accepted.
	View() Node
	// Plan returns the writes that make the change, or an error if the change is rejected.
	Plan(State) (Writes, error)
	// Absorb returns the change with the reasons and messages of a newer change. It returns false
	// if the changes differ in any other field.
	Absorb(newer Change) (Change, bool)
}

// Writes are the writes of a change.
type Writes struct {
	// States has the states to publish, one write each. The last state may differ only in its
	// Target.
	States []State
	// StartsUpdate is set if an update starts. Then the spec must be synced with the Node first.
	StartsUpdate bool
}

// add adds a state unless it equals the state before, and returns the state to publish.
func (p *Writes) add(before, next State) State {
	next.Status.ObservedGeneration = next.observedGeneration()
	if !next.Equal(before) || next.Target != before.Target {
		p.States = append(p.States, next)
	}
	return next
}
