package planner

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
)

// maxQueue limits the pending changes.
const maxQueue = 256

// ErrFull means that the queue is full: maxQueue changes are pending.
var ErrFull = errors.New("too many reports are pending: see in the log why they cannot be written")

// Entry is an accepted change in the queue. It is pending until it is settled: written or rejected.
type Entry struct {
	Change    Change
	Settled   chan struct{} // closed by the caller of TakeSettled
	IsSettled bool
	Err       error // the error of a rejected change, or nil
	// Abandoned is set by the caller of Submit if it does not wait for the result.
	Abandoned bool

	specDone bool // the spec was written, or the API server has rejected it permanently
	after    int  // the number of requests that had begun when the change was last submitted
}

// Submit adds a change to the queue, and returns its entry. The Node is that of the latest view. The error
// is ErrFull, a *field.Error if the phase does not exist in the mode of the node, or nil.
//
//  1. If nothing is pending, and the known object is certain to have the requested state, the entry is
//     nil. It is also nil if SkipOtherMode applies.
//  2. If the object will have the requested state after the pending changes, and one of them is the
//     same change and is not being written, the entry is that of the pending change.
//  3. A change that only changes texts replaces the texts of the last pending change of its phase, unless
//     that change has other options, is being written, or will be rejected.
func (c *Core) Submit(change Change, node Node) (*Entry, error) {
	change.Node = node
	if node.Mode != ModeOfObject && !change.existsIn(node.Mode) {
		if change.SkipOtherMode {
			return nil, nil
		}
		return nil, transitions.Check(change.Phase, change.Status, node.Mode == Image)
	}
	c.followed = node.Versions
	submitted := &Entry{Change: change, Settled: make(chan struct{}), after: c.begun}
	before, rejected := c.predicted()
	p := c.plan(submitted, before, node)
	if p.isNoop && len(c.queue) == 0 && !c.needsRead(submitted, p) {
		return nil, nil
	}
	if p.err == nil && p.write.Done && equalStatuses(before, p.write.Next) {
		for i, e := range slices.Backward(c.queue) {
			merged, ok := e.Change.merge(change)
			if ok && (i > 0 || !c.inFlight) && !slices.Contains(rejected, e) {
				if !p.isNoop {
					e.specDone = e.specDone && merged.Node == e.Change.Node
					e.Change = merged
				}
				e.after = c.begun
				return e, nil
			}
			if !p.isNoop && (change.Phase == "" || change.Phase == e.Change.Phase) {
				break // e is written later than the entries before it
			}
		}
	}
	if len(c.queue) >= maxQueue && change.Phase != "" {
		c.followed = Versions{}
		return nil, ErrFull
	}
	c.queue = append(c.queue, submitted)
	return submitted, nil
}

// Follow queues a change with the configs and images of a Node, unless they were already submitted. If the
// Lister has lost the object, the change creates it again.
func (c *Core) Follow(node Node, now metav1.Time) {
	if node.Versions != c.followed {
		c.SubmitNode(node, now)
	}
}

// SubmitNode queues a change with the configs and images of a Node.
func (c *Core) SubmitNode(node Node, now metav1.Time) {
	var change Change
	change.Time = now
	if e, _ := c.Submit(change, node); e != nil {
		e.Abandoned = true
	}
}

func equalStatuses(a, b State) bool {
	return slices.EqualFunc(a.Status.Conditions, b.Status.Conditions, func(a, b metav1.Condition) bool {
		return a.Type == b.Type && a.Status == b.Status
	})
}

// predicted returns the state after all pending changes, and the entries that will be rejected.
func (c *Core) predicted() (s State, rejected []*Entry) {
	s = c.object.State
	for _, e := range c.queue {
		for w := (Write{}); !w.Done; s = w.Next {
			var err error
			if w, err = e.Change.Plan(s, c.ConditionsOnly); err != nil {
				rejected = append(rejected, e)
				break
			}
			if w.WritesSpec {
				w.Next = w.Next.WithSpecOf(e.Change.Node)
			}
		}
	}
	return s, rejected
}

// Entries returns the pending entries in their order.
func (c *Core) Entries() []*Entry { return slices.Clone(c.queue) }

// TakeSettled returns the entries that were settled since the last call.
func (c *Core) TakeSettled() []*Entry {
	settled := c.settled
	c.settled = nil
	return settled
}

// settle removes the head from the queue. err is the error of a rejected change, otherwise nil. After a
// rejection, the next look submits the configs and images again, unless they alone were rejected.
func (c *Core) settle(err error) {
	e := c.queue[0]
	c.queue = c.queue[1:]
	e.IsSettled = true
	e.Err = err
	c.settled = append(c.settled, e)
	if err != nil && (e.Change.Phase != "" || e.Change.WritesSpec) {
		c.followed = Versions{}
	}
}
