package core

import (
	"errors"
	"slices"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// maxQueue limits the pending changes. If the limit is reached, a change of a status is refused: see
// queue_full.txt.
const maxQueue = 256

// ErrFull means that the queue is full: maxQueue changes are pending.
var ErrFull = errors.New("too many reports are pending: make sure that the API server can be reached")

// Entry is an accepted change in the queue, or a requested write of the spec. It is pending until it is
// settled. A change is settled when it is written or rejected.
type Entry struct {
	Change plan.Change // nil for the entry of the spec
	// Settled is closed by the caller of TakeSettled.
	Settled chan struct{}

	settled   bool
	err       error
	abandoned bool // set by Abandon
}

func newEntry(change plan.Change) *Entry {
	_, isOfNode := change.(plan.NodeChange) // the callers of Submit ignore the entry of a NodeChange
	return &Entry{Change: change, Settled: make(chan struct{}), abandoned: isOfNode}
}

// IsSettled reports whether the entry is settled.
func (e *Entry) IsSettled() bool { return e.settled }

// Err returns the error of a rejected change or of a failed write of the spec, or nil.
func (e *Entry) Err() error { return e.err }

// Abandon records that a caller does not wait for the result of the entry.
func (e *Entry) Abandon() { e.abandoned = true }

// Dropped returns the error of a rejected change if a caller does not wait for its result, otherwise
// nil. A write of the spec is never dropped, but retried.
func (e *Entry) Dropped() error {
	if !e.abandoned || e.Change == nil {
		return nil
	}
	return e.err
}

// Entries returns the pending entries in their order, without the entry of the spec.
func (c *Core) Entries() []*Entry { return slices.Clone(c.queue) }

// TakeSettled returns the entries that were settled since the last call.
func (c *Core) TakeSettled() []*Entry {
	settled := c.settled
	c.settled = nil
	return settled
}

// head returns the first entry of the queue, which is written next, or nil.
func (c *Core) head() *Entry {
	if len(c.queue) == 0 {
		return nil
	}
	return c.queue[0]
}

// settle removes the head from the queue. err is the error of a rejected change, otherwise nil.
func (c *Core) settle(err error) {
	e := c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	e.settled = true
	e.err = err
	c.settled = append(c.settled, e)
	if err == nil {
		return
	}
	c.tail = nil
	if _, ok := e.Change.(plan.NodeChange); !ok {
		c.followed = plan.Versions{} // so that Follow submits the configs and images of the rejected report
	}
}

// settleSpec settles specEntry, if it is set. err is nil if the object is in sync.
func (c *Core) settleSpec(err error) {
	if e := c.specEntry; e != nil {
		e.settled = true
		e.err = err
		c.settled = append(c.settled, e)
		c.specEntry = nil
	}
}

// last returns the last entry of the queue, or nil.
func (c *Core) last() *Entry {
	if len(c.queue) == 0 {
		return nil
	}
	return c.queue[len(c.queue)-1]
}

// enqueue adds a change to the queue, or merges it into a pending entry. changesStatus is set if
// the change starts an update or changes the status of a condition.
func (c *Core) enqueue(change plan.Change, changesStatus bool) (*Entry, error) {
	if e := c.absorb(change); e != nil {
		return e, nil
	}
	if len(c.queue) >= maxQueue/2 && !changesStatus {
		if e := c.replace(change); e != nil {
			return e, nil
		}
	}
	if len(c.queue) >= maxQueue && changesStatus {
		return nil, ErrFull
	}
	e := newEntry(change)
	c.queue = append(c.queue, e)
	return e, nil
}

// absorb merges a change into the last entry of the queue, and returns the entry. It returns nil if
// the changes differ in more than reason and message, or if a request for the entry is in flight.
func (c *Core) absorb(change plan.Change) *Entry {
	last := c.last()
	if last == nil || c.isInFlight(last) {
		return nil
	}
	return c.merge(last, change, plan.Change.Absorb)
}

// replace merges a change that changes no status into the last entry for which Change.Replace
// returns true, and returns the entry. It returns nil if there is no such entry.
func (c *Core) replace(change plan.Change) *Entry {
	for _, e := range slices.Backward(c.queue) {
		if c.isInFlight(e) {
			return nil
		}
		if merged := c.merge(e, change, plan.Change.Replace); merged != nil {
			return merged
		}
	}
	return nil
}

// merge merges a change into an entry. The function by is Absorb or Replace. merge returns the
// entry, or nil if by returns false.
func (c *Core) merge(e *Entry, change plan.Change, by func(older, newer plan.Change) (plan.Change, bool)) *Entry {
	merged, ok := by(e.Change, change)
	if !ok {
		return nil
	}
	e.Change = merged
	c.tail = nil
	return e
}

// isInFlight reports whether the request in flight may be for an entry.
func (c *Core) isInFlight(e *Entry) bool { return c.inFlight != "" && e == c.head() }

// isPending reports whether an entry has the same change, possibly with another reason or message.
func (c *Core) isPending(change plan.Change) bool {
	return slices.ContainsFunc(c.queue, func(e *Entry) bool {
		_, ok := e.Change.Absorb(change)
		return ok
	})
}

// predicted returns the state after all pending changes.
func (c *Core) predicted() plan.State {
	if len(c.queue) == 0 {
		return c.object.State
	}
	if c.tail == nil {
		s := c.object.State
		for _, e := range c.queue {
			if p, _ := e.Change.Plan(s); len(p.States) > 0 {
				s = p.States[len(p.States)-1]
			}
		}
		c.tail = &s
	}
	return *c.tail
}
