package plan

import (
	"fmt"
	"slices"
)

// Intent is something that was accepted and shall become true of the object. It is immutable.
type Intent interface {
	fmt.Stringer
	// Observed is the view of the Node at the time when the intent was accepted.
	Observed() Node
	// Key identifies equivalent intents for the compaction of a long queue.
	Key() Key
	// Plan returns the steps that make the intent true, none where it is true already, or the
	// error of a refusal. The memo is that of the intent's last plan, if it was planned before.
	Plan(State, Memo) (Plan, error)
}

// Key identifies what an intent is about.
type Key struct {
	// CoalesceKey is shared by intents that may only be reordered as a whole: those of
	// a parent phase and its children, of a singleton, of the image sets, of the spec.
	CoalesceKey string
	// Request is what is asked for under that key, texts and times aside. Two intents of the
	// same Request, one after the other, move the status once.
	Request string
}

// Memo is what was decided about one intent when it was first planned, and must not be decided
// again on an object that its own writes, or others, have changed meanwhile.
type Memo struct {
	Began     bool // it begins an update
	Continued bool // it belongs to the update under way, and begins none
	Disrupted bool // it begins an update by itself, because it was reported while Updated was True
	InUpdate  bool // it was reported in an update: should that be over, it begins no other

	// Previous is the name of the update before the one that it begins: its first write has the
	// spec follow the node, from which the name may have come.
	Previous string

	// Halvings is how often the room for texts was halved, because the object was too large.
	Halvings int
}

// Plan is what makes an intent true.
type Plan struct {
	Steps []Step
	Final State
	Memo  Memo
}

// WritesStatus reports whether a step of the plan writes the status.
func (p Plan) WritesStatus() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kind != MergeSpec })
}

// WritesSpec reports whether a step of the plan writes the spec.
func (p Plan) WritesSpec() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kind == MergeSpec })
}

// Kind is how a step is written.
type Kind string

const (
	// ApplyStatus is a server-side apply of the status.
	ApplyStatus Kind = "ApplyStatus"
	// MergeStatus is a merge patch of the status: it removes what an apply would leave in place
	// where another field manager owns it too.
	MergeStatus Kind = "MergeStatus"
	// MergeSpec is a merge patch of the spec and the owner references.
	MergeSpec Kind = "MergeSpec"
)

// Step is one write: Next is the state that it leads to.
type Step struct {
	Kind Kind
	Next State
}
