package components

import (
	"context"
	"maps"
	"time"
)

// startTerm starts a term as the leader. What this process observed in an earlier term is outdated: another
// leader may have resolved its errors, and published others since.
func (r *Reporter) startTerm(ctx context.Context) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	o := &r.object
	o.cleared = false
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.termEnded.IsZero() {
		return nil
	}
	o.adopted, o.attempted = false, nil
	r.tracker.forgetUntil(r.termEnded)
	maps.DeleteFunc(r.judgements, func(_ string, j *judgement) bool { return !j.reported.After(r.termEnded) })
	return nil
}

// endTerm ends a term. What was observed in it is kept until the next one: Flush may still publish it.
func (r *Reporter) endTerm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.termEnded = r.config.Clock.Now()
}

// forgetUntil drops the outcomes of all passes that ended by a time. What is running is kept.
func (t *tracker) forgetUntil(end time.Time) {
	maps.DeleteFunc(t.faults, func(_ step, f *fault) bool { return !f.last.After(end) })
	maps.DeleteFunc(t.succeeded, func(_ step, at time.Time) bool { return !at.After(end) })
	t.adopted = adopted{}
	if t.resolved != nil && !t.resolved.Since.After(end) {
		t.resolved = nil
	}
}
