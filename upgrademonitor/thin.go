package upgrademonitor

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// What is pending is bounded: an outage may last, and a caller may retry in a loop.
const (
	// thinFrom is how much may be queued before any of it is left out: more than an update
	// has calls, so that one update in an outage is written as if there had been none.
	thinFrom = 64
	// maxPending is how much is kept that nobody waits for any more.
	maxPending = 256
)

// thinned returns the queue with less in it where it is long. What is left out makes no
// difference to what a watcher sees in the end, and takes from it no step that was done: a
// later entry says the same, and between the two nothing was said of the same family. A
// family is a parent with its children, or what stands alone.
//
//   - Of the same said twice, stays the last.
//   - Of the same two said three times in turn (done, retried, …), stay the first and the
//     last time.
//   - Of a singleton, the image sets and the spec, stays the last, whatever it says.
//   - What begins or ends an update stays. Of its repeats stay the first and the last.
//   - The head may be on its way to the API server, and for some the caller still waits.
//     They stay.
func thinned(queue []*entry) []*entry {
	if len(queue) < thinFrom {
		return queue
	}
	t := thinning{families: map[string][]*entry{}, dropped: map[*entry]bool{queue[0]: false}}
	for _, e := range queue {
		t.add(e)
	}
	kept := make([]*entry, 0, len(queue))
	for _, e := range queue {
		if t.dropped[e] {
			close(e.done)
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// pending is how many entries nobody waits for.
func pending(queue []*entry) int {
	n := 0
	for _, e := range queue {
		if e.left {
			n++
		}
	}
	return n
}

// thinning is what is kept of a queue, by family, since the last begin or end of an update.
type thinning struct {
	families map[string][]*entry
	dropped  map[*entry]bool // the head is in it, and is not dropped
}

func (t *thinning) add(e *entry) {
	name, lastCounts := family(e)
	kept := append(t.families[name], e)
	cycle, n := name == string(phases.Updated), len(kept)
	switch {
	case cycle && n >= 3 && says(kept[n-3], e) && says(kept[n-2], e):
		kept = t.drop(kept, n-2, 1)
	case cycle:
	case n >= 2 && (lastCounts || says(kept[n-2], e)):
		kept = t.drop(kept, n-2, 1)
	case n >= 6 && says(kept[n-6], kept[n-4]) && says(kept[n-4], kept[n-2]) && says(kept[n-5], kept[n-3]) && says(kept[n-3], e):
		kept = t.drop(kept, n-4, 2)
	}
	if cycle && (n < 2 || !says(kept[len(kept)-2], e)) {
		for other, entries := range t.families {
			if _, lastCounts := family(entries[0]); other != name && !lastCounts {
				delete(t.families, other)
			}
		}
	}
	t.families[name] = kept
}

// drop leaves out entries of a family, if all of them may go.
func (t *thinning) drop(kept []*entry, at, n int) []*entry {
	for _, e := range kept[at : at+n] {
		if _, head := t.dropped[e]; head || !e.left {
			return kept
		}
	}
	for _, e := range kept[at : at+n] {
		t.dropped[e] = true
	}
	return append(append([]*entry(nil), kept[:at]...), kept[at+n:]...)
}

// family returns what an entry speaks of, and whether only the last word on it counts.
func family(e *entry) (name string, lastCounts bool) {
	r, ok := e.intent.(*report)
	if !ok {
		return e.String(), true // the image sets, or the spec
	}
	if parent, ok := phases.ParentOf(r.Phase); ok {
		return string(parent), false
	}
	return string(r.Phase), phases.KindOf(r.Phase) == phases.Singleton
}

// says reports whether two entries ask for the same, in other words perhaps.
func says(a, b *entry) bool {
	x, ok := a.intent.(*report)
	y, too := b.intent.(*report)
	type asked struct {
		phase     phases.Phase
		status    metav1.ConditionStatus
		completes bool
		speaks    bool
		versions  versions
	}
	of := func(r *report) asked {
		return asked{r.Phase, r.Status, r.CompletesParent, r.ParentMessage != "", r.versions}
	}
	return ok && too && of(x) == of(y)
}
