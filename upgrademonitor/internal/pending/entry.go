package pending

import "github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"

// Entry is one intent in the queue.
type Entry struct {
	plan.Intent
	// Memo is what was decided about the intent when it was planned last.
	Memo plan.Memo
	// SpecFailed is set once a report's own write of the spec has failed for a cause that may pass.
	SpecFailed bool

	key       plan.Key
	done      chan struct{}
	err       error
	abandoned bool       // its caller has returned
	compacted bool       // what it repeats was looked for
	deferred  bool       // it failed, and is tried again after the others
	after     plan.State // what it leads to, as it was predicted; see Queue.start
}

// Done is closed when the intent was written or dropped.
func (e *Entry) Done() <-chan struct{} { return e.done }

// Err is the error that the intent was dropped with, nil where it was written. It is set once
// Done is closed.
func (e *Entry) Err() error { return e.err }

// Deferred reports whether the entry waits until the others are written.
func (e *Entry) Deferred() bool { return e.deferred }

// IsSpec reports whether the intent concerns the spec, which never blocks the status.
func (e *Entry) IsSpec() bool {
	_, ok := e.Intent.(plan.Spec)
	return ok
}

// predict sets what the entry leads to. A refusal leads nowhere.
func (e *Entry) predict(from plan.State) {
	e.after = from
	if p, err := e.Plan(from, e.Memo); err == nil {
		e.after = p.Final
	}
}
