package components

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fault is an unresolved error.
type fault struct {
	shown step      // the step that failed; for a sync, its failed step
	text  string    // not cleaned yet
	since time.Time // of the first failure in a row
	last  time.Time
	// shared is set on the fault of all steps that there was no room for.
	shared bool
	// persisted is set on an error that was published by an earlier process.
	persisted bool
}

func (f *fault) isPersisted(now time.Time, persist time.Duration) bool {
	return f.persisted || now.Sub(f.since) >= persist
}

func (t *tracker) resolve(s step, now time.Time) bool {
	f := t.faults[s]
	if f == nil {
		return false
	}
	t.resolveFault(f, now)
	delete(t.faults, s)
	return true
}

func (t *tracker) resolveFault(f *fault, now time.Time) {
	if f.isPersisted(now, t.persist) {
		t.resolved = &Fault{State: f.shown.state, Message: f.shown.message(f.text), Since: metav1.NewTime(now), Resolved: true}
	}
}

// failedChild returns the newest error of a step of the pass that failed since the pass began, or nil.
func (t *tracker) failedChild(p *Pass) *fault {
	var newest *fault
	for s, f := range t.faults {
		if f.last.Before(p.began) || f.shown != s {
			continue
		}
		if parent, ok := ParentOf(s.state); !ok || parent != p.step.state {
			continue
		}
		if newest == nil || f.last.After(newest.last) || f.last.Equal(newest.last) && f.shown.compare(newest.shown) < 0 {
			newest = f
		}
	}
	return newest
}

// unresolved returns the errors that are older than persist, the newest first and each once.
func (t *tracker) unresolved(now time.Time) []*fault {
	var list []*fault
	for _, f := range t.faults {
		if f.isPersisted(now, t.persist) {
			list = append(list, f)
		}
	}
	if t.adopted.newest != nil {
		list = append(list, t.adopted.newest)
	}
	slices.SortFunc(list, func(a, b *fault) int {
		return cmp.Or(b.since.Compare(a.since), a.shown.compare(b.shown))
	})
	seen := map[step]bool{}
	return slices.DeleteFunc(list, func(f *fault) bool {
		again := seen[f.shown]
		seen[f.shown] = true
		return again
	})
}
