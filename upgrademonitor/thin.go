package upgrademonitor

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// What is pending is bounded: an outage may last, and a caller may retry in a loop.
const (
	// thinFrom is how much may be pending before any of it is left out. No update has as
	// many reports, so that one update in an outage is written as if there had been none.
	thinFrom = 64
	// maxPending is how much is kept at all: several whole updates.
	maxPending = 256
)

// slot is what one entry of the queue may be left out for: a later one of the same slot.
type slot struct {
	kind   string
	update int // which of the updates in the queue, for a phase of an update
	phase  phases.Phase
}

// thinned returns the queue with less in it where it is long. What is left out can be done
// without: a watcher sees no jump, for each write starts from what is there, and misses no
// step that was done.
//
//   - Of one phase in one update stays the last report of True, and the last report.
//   - Of one singleton, of the image sets and of the spec stays the last.
//   - The begin and the end of each update stay.
//   - The head may be on its way to the API server, and for some the caller still waits.
//     They stay.
func thinned(queue []*entry) []*entry {
	if len(queue) < thinFrom {
		return queue
	}
	update := 0
	for _, e := range queue {
		if beginsOrEnds(e) {
			update++
		}
	}
	covered := map[slot]bool{}
	kept := make([]*entry, 0, len(queue))
	for i, e := range slices.Backward(queue) {
		if beginsOrEnds(e) {
			update--
		}
		slots := slotsOf(e, update)
		if i > 0 && e.left && len(slots) > 0 && !slices.ContainsFunc(slots, func(s slot) bool { return !covered[s] }) {
			close(e.done)
			continue
		}
		for _, s := range slots {
			covered[s] = true
		}
		kept = append(kept, e)
	}
	slices.Reverse(kept)
	return kept
}

func beginsOrEnds(e *entry) bool {
	r, ok := e.intent.(*report)
	return ok && r.Phase == phases.Updated
}

// slotsOf returns what an entry is kept for; none is for its own sake.
func slotsOf(e *entry, update int) []slot {
	r, ok := e.intent.(*report)
	switch {
	case !ok:
		return []slot{{kind: e.String()}} // all of them, or the spec
	case phases.KindOf(r.Phase) == phases.Singleton:
		return []slot{{kind: "singleton", phase: r.Phase}}
	case r.Phase == phases.Updated:
		return nil
	}
	last := slot{kind: "last", update: update, phase: r.Phase}
	if r.Status == metav1.ConditionTrue {
		return []slot{last, {kind: "done", update: update, phase: r.Phase}}
	}
	return []slot{last}
}
