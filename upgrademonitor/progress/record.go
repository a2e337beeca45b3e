package progress

import (
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

// record is one update of a node, as far as it was observed.
type record struct {
	began   Target // the node's target when the update began
	desired Target // its current target: another update is ordered before it begins

	ordered, begun, ended time.Time
	attempt               time.Time // the last begin

	// steps are the finished ones, in the order of observation. One without a phase ends when the
	// update began again.
	steps []Step
	step  phases.Phase // running or next at the last observation

	message string // the first one of that step
	retried string // its last other one
}

// next returns the record after another observation of the node: the same one, that of another
// update, or nil if no update is known.
func (r *record) next(n Node) *record {
	switch {
	case !n.Reported:
		return r
	case !n.Ended.IsZero():
		return r.finish(n)
	case !n.InUpdate():
		return r
	case r == nil, r.over(), r.isReplaced(n):
		r = &record{began: n.Desired}
	}
	r.update(n)
	return r
}

// isReplaced reports whether the node has begun an update to another target.
func (r *record) isReplaced(n Node) bool {
	return n.Begun.After(r.attempt) && n.Desired != r.began
}

// update records a node in the middle of an update. An update that begins again, to the same target,
// is retried: its finished steps stay until they finish again.
func (r *record) update(n Node) {
	if !r.attempt.IsZero() && n.Begun.After(r.attempt) {
		r.finished("", n.Begun)
	}
	r.begun, r.attempt = earlier(r.begun, n.Begun), later(r.attempt, n.Begun)
	r.ordered, r.desired = n.Ordered, n.Desired
	for _, s := range n.Steps {
		if !s.End.IsZero() {
			r.finished(s.Phase, s.End)
		}
	}
	if n.Step != r.step {
		r.step, r.message, r.retried = n.Step, "", ""
	}
	switch {
	case n.IsDegraded():
	case r.message == "":
		r.message = n.Message
	case r.message != n.Message:
		r.retried = n.Message
	}
}

// finished records the end of a step. It may have finished before.
func (r *record) finished(p phases.Phase, end time.Time) {
	i := slices.IndexFunc(r.steps, func(s Step) bool { return s.Phase == p })
	if i < 0 {
		r.steps = append(r.steps, Step{Phase: p, End: end})
		return
	}
	r.steps[i].End = later(r.steps[i].End, end)
}

// finish records a node that has finished its last update.
func (r *record) finish(n Node) *record {
	has := Target{Config: n.Current.Config, Image: n.Desired.Image}
	isOf := r != nil && r.desired.Config == has.Config && (n.NotBegun || r.desired == has)
	switch {
	case isOf:
		r.ended = n.Ended
	case n.NotBegun: // the time of the last order is lost
		r = &record{desired: Target{Config: n.Current.Config}, ended: n.Ended}
	default:
		r = &record{desired: has, ended: n.Ended}
		if n.updateDuration() > 0 {
			r.ordered = n.Ordered
		}
	}
	return r
}

func (r *record) over() bool { return !r.ended.IsZero() }

// spans returns the update as a timeline.
func (r *record) spans() []Span {
	if r == nil {
		return nil
	}
	var spans []Span
	at := r.begun
	if at.IsZero() {
		at = r.ordered
	}
	to := func(p phases.Phase, end time.Time) {
		if !at.IsZero() {
			spans = append(spans, Span{Target: r.desired, Phase: p, From: at, To: later(at, end)})
		}
		at = later(at, end)
	}
	for _, s := range finished(r.steps) {
		to(s.Phase, s.End)
	}
	switch {
	case !r.over() && !at.IsZero():
		spans = append(spans, Span{Target: r.desired, Phase: r.step, From: at})
	case r.ended.After(at) && r.step == phases.Updated:
		to(phases.Updated, r.ended)
	case r.ended.After(at):
		to("", r.ended)
	}
	return spans
}
