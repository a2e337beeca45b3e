package machine

// Writes are all writes of a change.
type Writes struct {
	States                  []State
	Starts                  []Start // the decisions after the writes
	StartsUpdate, SyncsSpec bool
	Waits                   bool // before the first of them
}

// Start is the decision whether a change starts an update.
type Start = start

// All returns the writes of a change that is interrupted by no other write.
func (c Change) All(s State, decided ...Start) (w Writes, err error) {
	d := undecided
	if len(decided) > 0 {
		d = decided[0]
	}
	for step := (Step{}); !step.Done; {
		if step, err = c.Plan(s, d); err != nil {
			return Writes{}, err
		}
		w.Waits = w.Waits || step.Waits
		w.StartsUpdate, w.SyncsSpec = w.StartsUpdate || step.start != undecided, w.SyncsSpec || step.SyncsSpec
		d = step.start
		if !step.Next.Equal(s) {
			w.States = append(w.States, step.Next)
			w.Starts = append(w.Starts, d)
		}
		s = step.Next
	}
	return w, nil
}

// Merge is merge.
func (c Change) Merge(newer Change) (Change, bool) { return c.merge(newer) }

// ErrWithdrawn is errWithdrawn.
var ErrWithdrawn = errWithdrawn

// The decisions of a change whose spec was written, and of one that has started an update.
const (
	Starting = starting
	Started  = started
)

// Final returns the state after all writes, and the spec after them.
func (c Change) Final(s State, d Start) State {
	for step := (Step{}); !step.Done; s = step.Next {
		var err error
		if step, err = c.Plan(s, d); err != nil {
			return s
		}
		d = step.start
		if step.SyncsSpec {
			step.Next = step.Next.Sync(c.Node)
		}
	}
	return s
}
