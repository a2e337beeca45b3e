package plan

import "fmt"

// Change is an accepted change of the object. It is immutable.
type Change interface {
	fmt.Stringer
	// View returns the Node as this process saw it when the change was accepted.
	View() Node
	// Plan returns the writes that make the change, or an error if the change is not allowed.
	Plan(State) (Writes, error)
	// Absorb returns the change with the reasons and messages of a newer change. It returns false
	// if other fields differ. Then the newer change must be written separately.
	Absorb(newer Change) (Change, bool)
}

// Writes are the writes of a change, in order.
type Writes struct {
	// States has the state that each write publishes. The last state needs no write if it differs
	// from the previous state only in Target.
	States []State
	// StartsUpdate is set if the change starts an update.
	StartsUpdate bool
	// SyncsSpec is set if the change starts an update, or ends one on a Node that runs the config that
	// it desires. Then the spec must be written first, so that spec, status and Node agree.
	SyncsSpec bool
}

// add sets observedGeneration in next, and adds next to States if next differs from before.
func (p *Writes) add(before, next State) State {
	next.Status.ObservedGeneration = next.observedGeneration()
	if !next.Equal(before) || next.Target != before.Target {
		p.States = append(p.States, next)
	}
	return next
}
