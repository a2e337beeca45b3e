package machine

import "github.com/openshift/upgrademonitor/internal/transitions"

// Writes are all writes of a change.
type Writes struct {
	States                  []State
	StartsUpdate, SyncsSpec bool
}

// All returns the writes of a change that is interrupted by no other write.
func (c Change) All(s State) (w Writes, err error) {
	for step := (Step{}); !step.Done; {
		if step, err = c.Plan(s); err != nil {
			return Writes{}, err
		}
		w.StartsUpdate, w.SyncsSpec = w.StartsUpdate || c.Phase != "" && c.Sets == nil && transitions.StartsUpdate(s.Status.Conditions, c.Report, c.update(s)), w.SyncsSpec || step.SyncsSpec
		if !step.Next.Equal(s) {
			w.States = append(w.States, step.Next)
		}
		s = step.Next
	}
	return w, nil
}

// Merge is merge.
func (c Change) Merge(newer Change) (Change, bool) { return c.merge(newer) }

// Final returns the state after all writes, and the spec after them.
func (c Change) Final(s State) State {
	for step := (Step{}); !step.Done; s = step.Next {
		var err error
		if step, err = c.Plan(s); err != nil {
			return s
		}
		if step.SyncsSpec {
			step.Next = step.Next.Sync(c.Node)
		}
	}
	return s
}
