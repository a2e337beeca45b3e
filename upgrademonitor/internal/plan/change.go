package plan

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// ErrNotStarted is the error of a plan that must wait: the report of a controller would start an
// update to a new target, but the daemon of the node starts each update.
var ErrNotStarted = errors.New("the daemon has not reported the start of the update yet")

// Change is an accepted change of the object. It is immutable.
type Change interface {
	fmt.Stringer
	// View returns the Node as this process saw it when the change was accepted.
	View() Node
	// At returns the same change for another view of the Node.
	At(Node) Change
	// Accepted returns the time when the change was accepted.
	Accepted() metav1.Time
	// Plan returns the writes that make the change, or an error if the change is not allowed.
	Plan(State) (Writes, error)
	// Absorb returns the change with the reasons and messages of a newer change. It returns false
	// if other fields differ. Then the newer change must be written separately.
	Absorb(newer Change) (Change, bool)
	// Replace is like Absorb, but ignores differences between the Nodes. It is for a newer change
	// that ChangesStatus reports as a change of reasons and messages only.
	Replace(newer Change) (Change, bool)
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

// ChangesStatus reports whether the writes change the status of a condition, or start an update.
func (p *Writes) ChangesStatus(before State) bool {
	return p.StartsUpdate || slices.ContainsFunc(p.States, func(s State) bool {
		return slices.ContainsFunc(s.Status.Conditions, func(c metav1.Condition) bool {
			return c.Status != conditions.StatusOf(before.Status.Conditions, phases.Phase(c.Type))
		})
	})
}

// add sets observedGeneration in next, and adds next to States if next differs from before.
func (p *Writes) add(before, next State, n Node) State {
	if !n.ConditionsOnly {
		next.Status.ObservedGeneration = next.observedGeneration()
	}
	if !next.Equal(before) || next.Target != before.Target {
		p.States = append(p.States, next)
	}
	return next
}
