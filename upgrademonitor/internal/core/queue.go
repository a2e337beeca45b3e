package core

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// maxAbandoned bounds the pending changes whose callers have returned. Callers that wait are
// bounded by themselves: on a healthy server none of them is refused.
const maxAbandoned = 256

// ErrFull means that too many changes are pending whose callers have returned.
var ErrFull = errors.New("too many changes are pending")

// Entry is a change that is pending, or was.
type Entry struct {
	Change plan.Change // nil if it is that the spec follows the node
	// Accepted and Finished are the caller's: when it was accepted, and a channel to close after
	// TakeFinished has returned the entry.
	Accepted metav1.Time
	Finished chan struct{}

	waiters int // callers that wait for it: its texts are not replaced, and its error is theirs
	done    bool
	err     error
	dropped bool // rejected when nobody waited for it any more
}

func newEntry(change plan.Change) *Entry {
	return &Entry{Change: change, Finished: make(chan struct{}), waiters: 1}
}

// Done reports whether the change is written, or was rejected after it had been accepted.
func (e *Entry) Done() bool { return e.done }

// Dropped returns why an accepted change turned out to be rejected when nobody waited for it any
// more, or nil.
func (e *Entry) Dropped() error {
	if !e.dropped {
		return nil
	}
	return e.err
}

// Entries returns what is pending.
func (c *Core) Entries() []*Entry { return slices.Clone(c.queue) }

// Leave ends the wait for an entry. It reports whether the change is done, and its error.
func (c *Core) Leave(e *Entry) (done bool, err error) {
	e.waiters--
	return e.done, e.err
}

// Full reports whether Submit returns ErrFull for what has to be written.
func (c *Core) Full() bool {
	abandoned := 0
	for _, e := range c.queue {
		if e.waiters == 0 {
			abandoned++
		}
	}
	return abandoned >= maxAbandoned
}

// TakeFinished returns the entries that were finished since the last call.
func (c *Core) TakeFinished() []*Entry {
	finished := c.finished
	c.finished = nil
	return finished
}

// head returns the entry to make true next, or nil.
func (c *Core) head() *Entry {
	if len(c.queue) == 0 {
		return nil
	}
	return c.queue[0]
}

// finish removes the head.
func (c *Core) finish(err error) {
	e := c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	e.done, e.err = true, err
	c.finished = append(c.finished, e)
	if err != nil {
		c.tail = nil
		e.dropped = e.waiters == 0
	}
}

// finishSpec finishes the entry of those who wait for the spec, if it follows the node.
func (c *Core) finishSpec() {
	if e := c.specEntry; e != nil && c.object.Follows(c.latest) {
		e.done, c.specEntry = true, nil
		c.finished = append(c.finished, e)
	}
}

// absorb adds the texts of a change to the last entry if that asks for the same, nobody waits for
// it, and it is not on its way.
func (c *Core) absorb(change plan.Change) *Entry {
	if len(c.queue) == 0 {
		return nil
	}
	last := c.queue[len(c.queue)-1]
	if last.waiters > 0 || c.busy != "" && len(c.queue) == 1 {
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

// base returns the state that the queue starts from: the one to restore, if there is one for this Node.
func (c *Core) base() plan.State {
	if c.deleted == nil || c.deleted.isOfAnotherNode(c.latest.Owner) {
		return c.object.State
	}
	s := c.deleted.State
	s.NoImages = c.object.NoImages
	return s
}

// predicted returns the state that the queue leads to.
func (c *Core) predicted() plan.State {
	if len(c.queue) == 0 {
		return c.base()
	}
	if c.tail == nil {
		s := c.base()
		for _, e := range c.queue {
			if p, err := e.Change.Plan(s); err == nil && len(p.States) > 0 {
				s = p.States[len(p.States)-1]
			}
		}
		c.tail = &s
	}
	return *c.tail
}
