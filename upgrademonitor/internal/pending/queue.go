package pending

import (
	"errors"
	"slices"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const (
	// compactFrom is the length from which on a queue is compacted: more than an update has
	// reports, so that one update in an outage is written as if there had been none.
	compactFrom = 64
	// maxAbandoned is how many entries are kept whose callers have returned.
	maxAbandoned = 256
)

// ErrFull is returned by Push when the queue accepts nothing.
var ErrFull = errors.New("queue full")

// Queue is the entries, oldest first. The zero value is empty and ready. It is not safe for
// concurrent use.
type Queue struct {
	entries []*Entry
	// start is the state that the predictions were computed from, while predicted is set.
	start     plan.State
	predicted bool
}

// Len is how many entries there are.
func (q *Queue) Len() int { return len(q.entries) }

// Predict returns the state that the queue leads to from a base. It changes nothing that can be
// observed: predictions are kept, and are computed again only where the base is another one than
// they were computed from.
func (q *Queue) Predict(base plan.State) plan.State {
	valid := q.predicted && equivalent(q.start, base)
	q.start, q.predicted = base, true
	if !valid {
		q.predict(0, len(q.entries))
	}
	return q.before(len(q.entries))
}

// predict predicts the entries from one index up to another.
func (q *Queue) predict(from, to int) {
	for i := from; i < to; i++ {
		q.entries[i].predict(q.before(i))
	}
}

// Push appends an intent. It returns ErrFull when the callers of too many entries have returned,
// and Compact may make room.
func (q *Queue) Push(intent plan.Intent, memo plan.Memo) (*Entry, error) {
	if q.IsFull() {
		return nil, ErrFull
	}
	e := &Entry{Intent: intent, Memo: memo, key: intent.Key(), done: make(chan struct{})}
	q.entries = append(q.entries, e)
	if n := len(q.entries); q.predicted {
		q.predict(n-1, n)
	}
	return e, nil
}

// Head returns the entry that is to be written next, nil where there is none: the oldest, or the
// oldest of those that were deferred once there are no others.
func (q *Queue) Head() *Entry {
	for _, e := range q.entries {
		if !e.deferred {
			return e
		}
	}
	if len(q.entries) > 0 {
		return q.entries[0]
	}
	return nil
}

// Defer has an entry wait until the others are written, or, with false, takes that back.
func (q *Queue) Defer(e *Entry, deferred bool) { e.deferred = deferred }

// OthersDeferred reports whether entries other than this one are deferred.
func (q *Queue) OthersDeferred(than *Entry) bool {
	return slices.ContainsFunc(q.entries, func(e *Entry) bool { return e.deferred && e != than })
}

// Finish removes an entry that was written, with a nil error, or dropped. It reports whether its
// caller waits, and so learns of the error.
func (q *Queue) Finish(e *Entry, err error) (callerWaits bool) {
	i := slices.Index(q.entries, e)
	if i < 0 {
		return false
	}
	if i == 0 && err == nil {
		q.start = e.after
	} else {
		q.predicted = false
	}
	q.entries = slices.Delete(q.entries, i, i+1)
	e.err = err
	close(e.done)
	return !e.abandoned
}

// Abandon ends the wait of an entry's caller. It reports whether the entry is finished; if it is
// not, its caller does not learn of its end.
func (q *Queue) Abandon(e *Entry) (finished bool) {
	select {
	case <-e.done:
		return true
	default:
	}
	e.abandoned = true
	return false
}

// IsFull reports whether Push accepts nothing.
func (q *Queue) IsFull() bool { return q.abandoned() >= maxAbandoned }

// Compact compacts a long queue around one entry whose caller has returned, once for each. It
// reports whether there was one. That is a step of bounded work: many callers may return at once,
// and the lock of the owner must not be held for all of it.
func (q *Queue) Compact() bool {
	if len(q.entries) < compactFrom {
		return false
	}
	i := slices.IndexFunc(q.entries, func(e *Entry) bool { return e.abandoned && !e.compacted })
	if i < 0 {
		return false
	}
	e := q.entries[i]
	e.compacted = true
	q.compact(e)
	return true
}

func (q *Queue) abandoned() int {
	n := 0
	for _, e := range q.entries {
		if e.abandoned {
			n++
		}
	}
	return n
}

// before returns the predicted state before the entry of an index.
func (q *Queue) before(i int) plan.State {
	if i == 0 {
		return q.start
	}
	return q.entries[i-1].after
}
