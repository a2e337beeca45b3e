package machine

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
)

// maxQueue limits the pending changes.
const maxQueue = 256

// ErrFull means that the queue is full: maxQueue changes are pending.
var ErrFull = errors.New("too many reports are pending: make sure that the API server can be reached")

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

// Submit adds a change to the queue, and returns its entry. The change gets the Node of the latest view.
// The error is ErrFull, a *field.Error if the phase does not exist in the mode of the node, or nil.
//
//  1. If nothing is pending, and the known object is certain to have the requested state, the entry is
//     nil. It is also nil if SkipOtherMode applies.
//  2. If the object will have the requested state after the pending changes, and one of them is the
//     same change and is not being written, the entry is that of the pending change.
//  3. A change that only changes texts replaces the texts of the last pending change of its phase, unless
//     that change has other options, or is being written.
func (c *Core) Submit(change Change) (*Entry, error) {
	change.Node = c.latest
	if mode := c.latest.Mode; mode != ModeOfObject && !change.existsIn(mode == Image) {
		if change.SkipOtherMode {
			return nil, nil
		}
		return nil, transitions.Check(change.Phase, change.Status, mode == Image)
	}
	c.followed = change.Node.Versions
	before := c.predicted()
	step, planErr := change.Plan(before)
	isNoop := planErr == nil && step.Done && step.Next.Equal(before) && (!step.SyncsSpec || c.object.InSync(c.latest))
	if isNoop && c.isCertain(change.Node) && len(c.queue) == 0 {
		return nil, nil
	}
	if planErr == nil && step.Done && equalStatuses(before, step.Next) {
		for i, e := range slices.Backward(c.queue) {
			if merged, ok := e.Change.merge(change); ok && (i > 0 || c.inFlight == "") {
				if !isNoop {
					e.specDone = e.specDone && merged.Node == e.Change.Node
					e.Change = merged
				}
				e.after = c.begun
				return e, nil
			}
			if !isNoop && (change.Phase == "" || change.Phase == e.Change.Phase) {
				break // e is written later than the entries before it
			}
		}
	}
	if len(c.queue) >= maxQueue && change.Phase != "" {
		c.followed = Versions{}
		return nil, ErrFull
	}
	e := &Entry{Change: change, Settled: make(chan struct{}), after: c.begun}
	c.queue = append(c.queue, e)
	return e, nil
}

// Follow queues a change with the configs and images of the Node in the latest view, unless they were
// already submitted. If the Lister has lost the object, the change creates it again.
func (c *Core) Follow(now metav1.Time) {
	if c.latest.Versions != c.followed {
		c.SubmitNode(now)
	}
}

// SubmitNode queues a change with the configs and images of the Node in the latest view.
func (c *Core) SubmitNode(now metav1.Time) {
	var change Change
	change.Time = now
	if e, _ := c.Submit(change); e != nil {
		e.Abandoned = true
	}
}

func equalStatuses(a, b State) bool {
	return slices.EqualFunc(a.Status.Conditions, b.Status.Conditions, func(a, b metav1.Condition) bool {
		return a.Type == b.Type && a.Status == b.Status
	})
}

// predicted returns the state after all pending changes.
func (c *Core) predicted() State {
	s := c.object.State
	for _, e := range c.queue {
		for step := (Step{}); !step.Done; s = step.Next {
			var err error
			if step, err = e.Change.Plan(s); err != nil {
				break
			}
			if step.SyncsSpec {
				step.Next = step.Next.Sync(e.Change.Node)
			}
		}
	}
	return s
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
	if err != nil && (e.Change.Phase != "" || e.Change.SyncsSpec) {
		c.followed = Versions{}
	}
}
