package core

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// maxAbandoned is the maximum number of pending changes without a waiting caller. Changes with a
// waiting caller do not count, so that many concurrent calls do not fill the queue.
const maxAbandoned = 256

// ErrFull means that the queue is full: maxAbandoned changes without a waiting caller are pending.
var ErrFull = errors.New("too many reports are pending: make sure that the API server can be reached")

// Entry is an accepted change. It is pending until it is settled, that is, written or rejected.
type Entry struct {
	Change plan.Change // nil for the entry of the spec
	// The user of the Core sets Accepted, and closes Settled after TakeSettled has returned the entry.
	Accepted metav1.Time
	Settled  chan struct{}

	waiters   int // the number of waiting callers. absorb does not change an entry with waiters
	settled   bool
	err       error
	abandoned bool // set if no caller waited when the entry was settled
}

func newEntry(change plan.Change) *Entry {
	return &Entry{Change: change, Settled: make(chan struct{}), waiters: 1}
}

// IsSettled reports whether the change was written or rejected.
func (e *Entry) IsSettled() bool { return e.settled }

// Dropped returns the error of a change that was rejected after its callers had returned, or nil.
func (e *Entry) Dropped() error {
	if !e.abandoned {
		return nil
	}
	return e.err
}

// Entries returns the pending entries in order, without the entry of the spec.
func (c *Core) Entries() []*Entry { return slices.Clone(c.queue) }

// Leave ends the wait of a caller for an entry. If the entry is settled, Leave returns its error.
func (c *Core) Leave(e *Entry) error {
	e.waiters--
	return e.err
}

// TakeSettled returns the entries that were settled since the last call.
func (c *Core) TakeSettled() []*Entry {
	settled := c.settled
	c.settled = nil
	return settled
}

// head returns the entry to write next, or nil.
func (c *Core) head() *Entry {
	if len(c.queue) == 0 {
		return nil
	}
	return c.queue[0]
}

// settle removes the head from the queue. err is nil if the change was written.
func (c *Core) settle(err error) {
	e := c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	e.settled, e.err, e.abandoned = true, err, e.waiters == 0
	c.settled = append(c.settled, e)
	if err == nil {
		return
	}
	c.tail = nil
	if _, ok := e.Change.(plan.NodeChange); !ok {
		c.followed = plan.Versions{} // so that Follow submits the versions that the report did not write
	}
}

// settleSpec settles specEntry if the object is in sync.
func (c *Core) settleSpec() {
	if e := c.specEntry; e != nil && c.object.InSync(c.latest) {
		e.settled, c.specEntry = true, nil
		c.settled = append(c.settled, e)
	}
}

func (c *Core) isFull() bool {
	abandoned := 0
	for _, e := range c.queue {
		if e.waiters == 0 {
			abandoned++
		}
	}
	return abandoned >= maxAbandoned
}

func (c *Core) last() *Entry {
	if len(c.queue) == 0 {
		return nil
	}
	return c.queue[len(c.queue)-1]
}

// absorb merges a change into the last entry of the queue, and returns that entry. It returns nil
// if the changes differ in more than reason and message, if a caller waits for the entry, or if a
// request for the entry is in flight.
func (c *Core) absorb(change plan.Change) *Entry {
	last := c.last()
	if last == nil || last.waiters > 0 || c.inFlight != "" && len(c.queue) == 1 {
		return nil
	}
	merged, ok := last.Change.Absorb(change)
	if !ok {
		return nil
	}
	last.Change = merged
	last.waiters++
	c.tail = nil
	return last
}

// isPending reports whether the same change is pending, perhaps with another reason or message.
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
			if p, err := e.Change.Plan(s); err == nil && len(p.States) > 0 {
				s = p.States[len(p.States)-1]
			}
		}
		c.tail = &s
	}
	return *c.tail
}
