package plan

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// ErrNotStarted means that a report must wait, because only the daemon of a node starts an update to
// another config or image. A controller's report waits until the object shows this start.
var ErrNotStarted = errors.New("the daemon has not reported the start of the update yet")

// Change is a report of a phase or of image sets, or the new configs and images of the Node. A Monitor
// has accepted it, and must write it to the object. A Change is immutable.
type Change interface {
	fmt.Stringer
	// View returns the Node that the change is based on.
	View() Node
	// At returns a copy of the change with another Node.
	At(Node) Change
	// Accepted returns the time when the process accepted the change.
	Accepted() metav1.Time
	// Plan returns the writes that make the change to an object in this state. It returns no writes, and
	// an error, if the change is not allowed.
	Plan(State) (Writes, error)
	// Absorb merges a newer change into this change: the result has the reasons and messages of the
	// newer change. It returns false if other fields differ. Then the newer change must be written
	// separately.
	Absorb(newer Change) (Change, bool)
	// Replace is like Absorb, but ignores more differences: the Nodes and, for image sets, the sets.
	// Use it only if Writes.ChangesStatus returns false for the newer change.
	Replace(newer Change) (Change, bool)
}

// Writes are the writes of a change, in order.
type Writes struct {
	// States has the state of the object after each write. If the last state differs from the previous
	// state only in Target, it needs no write, because the object does not contain the Target.
	States []State
	// StartsUpdate is set if the change starts an update.
	StartsUpdate bool
	// SyncsSpec is set if the spec must be written before the status, so that spec, status and Node
	// agree: the change starts an update, or it ends an update and the Node runs its desired config.
	SyncsSpec bool
}

// ChangesStatus reports whether the writes change the status of a condition, or start an update.
func (w *Writes) ChangesStatus(before State) bool {
	isNew := func(c metav1.Condition) bool {
		return c.Status != conditions.StatusOf(before.Status.Conditions, phases.Phase(c.Type))
	}
	changes := func(s State) bool { return slices.ContainsFunc(s.Status.Conditions, isNew) }
	return w.StartsUpdate || slices.ContainsFunc(w.States, changes)
}

// add completes a state with observedGeneration, and adds it to States if it differs from the previous
// state. It returns the completed state.
func (w *Writes) add(previous, next State, n Node) State {
	if !n.ConditionsOnly {
		next.Status.ObservedGeneration = next.observedGeneration()
	}
	if !next.Equal(previous) || next.Target != previous.Target {
		w.States = append(w.States, next)
	}
	return next
}
