package pending

import (
	"slices"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const (
	// longestRun is the longest run of requests whose repetition is looked for.
	longestRun = 8
	// longestWindow is how many entries the runs may be spread over.
	longestWindow = 128
	// timesInARow is how often a run is made in a row before one is dropped. The first two show all
	// that a repetition leads to, be it from what was there before or from the run itself.
	timesInARow = 4
)

// compact drops from a long queue what repeats itself around an entry whose caller has returned.
//
//  1. Of a run of requests with one coalesce key (see plan.Key) that was made four times in a row (a
//     retry loop: of one request, done and retried, a whole sync) the last but one is dropped.
//  2. Only if the outcome is the same without it: the updates that begin and end; in each, the
//     statuses, versions and image sets that a watcher sees, with the times and texts that they
//     first have and the times that they last have; and all of the object at its end. What a
//     watcher may miss are texts, and the times of a repetition, between these.
//  3. Neither the head, which may be on its way to the API server, nor an entry whose caller
//     waits is dropped.
//
// The outcome is that of these runs with what lies between them: where they lead to the same
// state, so does all that follows. Which entries are refused is part of neither: a run changes the
// phases of other coalesce keys by the begin or the end of an update only.
func (q *Queue) compact(around *Entry) {
	sameKey, at := q.withCoalesceKeyOf(around)
	for length := 1; length <= longestRun; length++ {
		all := timesInARow * length
		for start := max(0, at-all+1); start <= at && start+all <= len(sameKey); start++ {
			runs := sameKey[start : start+all]
			lastButOne := runs[all-2*length : all-length]
			if !q.repeats(runs, length) || !q.droppable(lastButOne) {
				continue
			}
			if q.sameOutcome(runs, lastButOne) {
				q.drop(runs, lastButOne)
			}
			return // a longer run repeats this one
		}
	}
}

// withCoalesceKeyOf returns the indexes of the entries that have the coalesce key of an entry, in
// order, as far as runs may reach, and where it is among them. While no state is known, all count
// as having the same one: nothing may lie between the runs.
func (q *Queue) withCoalesceKeyOf(of *Entry) (indexes []int, at int) {
	center := slices.Index(q.entries, of)
	for i := max(0, center-longestWindow); i < min(len(q.entries), center+longestWindow); i++ {
		if i == center {
			at = len(indexes)
		}
		if !q.predicted || q.entries[i].key.CoalesceKey == of.key.CoalesceKey {
			indexes = append(indexes, i)
		}
	}
	return indexes, at
}

// repeats reports whether all runs of a length ask for the same.
func (q *Queue) repeats(runs []int, length int) bool {
	for i := length; i < len(runs); i++ {
		if q.entries[runs[i]].key != q.entries[runs[i-length]].key {
			return false
		}
	}
	return runs[len(runs)-1]-runs[0] < longestWindow
}

func (q *Queue) droppable(indexes []int) bool {
	head := q.Head()
	return !slices.ContainsFunc(indexes, func(i int) bool {
		return q.entries[i] == head || !q.entries[i].abandoned
	})
}

// sameOutcome compares the outcome of what lies between the first and the last of the runs with
// and without some entries. Where the state before them is not known, it does from each of those
// that it may be.
func (q *Queue) sameOutcome(runs, without []int) bool {
	first, last := runs[0], runs[len(runs)-1]
	all := q.entries[first : last+1]
	var kept []*Entry
	for i, e := range all {
		if !slices.Contains(without, first+i) {
			kept = append(kept, e)
		}
	}
	starts := []plan.State{q.before(first)}
	if !q.predicted {
		starts = possibleStarts(all[0].Observed())
	}
	return !slices.ContainsFunc(starts, func(s plan.State) bool {
		return !outcomeOf(s, all).same(outcomeOf(s, kept))
	})
}

// drop removes entries. What the runs lead to is the same without them, and so is all that follows.
func (q *Queue) drop(runs, without []int) {
	for _, i := range slices.Backward(without) {
		close(q.entries[i].done)
		q.entries = slices.Delete(q.entries, i, i+1)
	}
	if q.predicted {
		q.predict(without[0], runs[len(runs)-1]+1-len(without))
	}
}
