package components

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// adoptedTimeout is how long the errors of an earlier process stay if their steps neither succeed nor fail in
// this one.
const adoptedTimeout = 10 * time.Minute

// adopted is what an earlier process published of its errors: the newest one, and how many others there were.
type adopted struct {
	newest *fault // nil if it is resolved, or has failed again
	since  time.Time
	others int // that have not failed again
	at     time.Time
}

// isOf reports whether the error of an earlier process is one of a step. Its message begins with the
// key, where the step has one; a message without any is that of each key.
func (f *fault) isOf(s step) bool {
	if f.shown.state != s.state {
		return false
	}
	return s.key == "" || !strings.Contains(f.text, keySeparator) || strings.HasPrefix(f.text, s.message(""))
}

// resolvedBy reports whether the error of an earlier process is over when a step succeeds: the failed
// one, or the sync that it is part of.
func (f *fault) resolvedBy(s step) bool {
	parent, _ := ParentOf(f.shown.state)
	return s.state == parent || f.isOf(s)
}

// adopt takes over the errors that an earlier process published, unless their steps have succeeded since.
func (t *tracker) adopt(f Fault, now time.Time) {
	line, others := cutOthers(f.Message)
	newest := &fault{shown: step{state: f.State}, text: oneLine(line, maxMessage), since: f.Since.Time, persisted: true}
	t.adopted = adopted{newest: newest, since: newest.since, others: others, at: now}
	for s := range t.succeeded {
		t.succeedAdopted(s, now)
	}
	for _, s := range slices.SortedFunc(maps.Keys(t.faults), step.compare) {
		t.failAdopted(t.faults[s], s, t.faults[s].shown)
	}
}

// succeedAdopted resolves the errors of an earlier process that are over when a step succeeds, and reports
// whether there was one.
func (t *tracker) succeedAdopted(s step, now time.Time) bool {
	changed := false
	if t.adopted.newest != nil && t.adopted.newest.resolvedBy(s) {
		t.dropAdopted(now)
		changed = true
	}
	if t.adopted.others > 0 && slices.Contains(parents, s.state) {
		t.adopted.others = 0
		changed = true
	}
	return changed
}

// failAdopted has an error of a step be one that an earlier process published: the newest one, or one of the
// others. It has persisted, and is as old.
func (t *tracker) failAdopted(f *fault, s, shown step) {
	a := &t.adopted
	switch {
	case a.newest != nil && a.newest.isOf(shown):
		f.persisted, f.since, a.newest = true, earlier(f.since, a.since), nil
	case a.others > 0 && s == shown && !f.persisted && !f.shared:
		f.persisted, f.since = true, earlier(f.since, a.since.Add(-1))
		a.others--
	}
}

// dropAdopted resolves the newest error of an earlier process.
func (t *tracker) dropAdopted(now time.Time) {
	t.resolveFault(t.adopted.newest, now)
	t.adopted.newest = nil
}

// expireAdopted resolves what has neither succeeded nor failed for too long.
func (t *tracker) expireAdopted(now time.Time) {
	a := &t.adopted
	a.at = earlier(a.at, now) // the clock may have been set back
	if now.Sub(a.at) < adoptedTimeout {
		return
	}
	a.others = 0
	if a.newest != nil {
		t.dropAdopted(now)
	}
}
