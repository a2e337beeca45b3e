package planner

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// The queue keeps the reports of an outage in order. A daemon and its controller retry every few seconds or minutes, so an
// outage of some hours would fill any queue with repeats. Hence a repeat takes no place, and a report that only brings a new
// text gives it to a report that is pending. It does so only if the object ends the same: where texts moved ahead of others,
// a parent ended with the text of an older failure.

// maxQueue limits the pending changes.
const maxQueue = 256

// ErrFull means that the queue is full: maxQueue changes are pending.
var ErrFull = errors.New("too many reports are pending: see in the log why they cannot be written")

// Entry is an accepted change in the queue. It is pending until it is settled: written or rejected.
type Entry struct {
	Change Change
	// Settled is closed by the caller of TakeSettled, for a call that waits. The core only makes it, so that the
	// caller needs no table of its calls. The core never waits.
	Settled   chan struct{}
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
//  3. A change gives its texts to the last pending change of its phase, if both differ only in texts, that change is
//     not being written, and the pending changes then lead to the same object. So no text overtakes a newer one.
func (c *Core) Submit(change Change, node Node) (*Entry, error) {
	change.Node = node
	c.takeUp(&change)
	if node.Mode != ModeOfObject && !change.existsIn(node.Mode) {
		if change.SkipOtherMode {
			return nil, nil
		}
		return nil, transitions.CheckMode(change.Phase, node.Mode == Image)
	}
	c.followed = node.Versions
	submitted := &Entry{Change: change, Settled: make(chan struct{}), after: c.begun}
	before := c.predict(c.changes())
	p := c.plan(submitted, before.State, node)
	if p.isNoop && len(c.queue) == 0 && !c.needsRead(submitted, p) {
		return nil, nil
	}
	if e := c.merge(change, before, p.isNoop); e != nil {
		e.after = c.begun
		return e, nil
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

// SubmitNode queues a change with the configs and images of a Node. In a controller, it does nothing.
func (c *Core) SubmitNode(node Node, now metav1.Time) {
	if c.IsController {
		return
	}
	var change Change
	change.Time = now
	if e, _ := c.Submit(change, node); e != nil {
		e.Abandoned = true
	}
}

// takeUp records the order of Updated=False, and adds it to a report of UpdatePrepared.
func (c *Core) takeUp(change *Change) {
	switch {
	case change.Phase == phases.UpdatePrepared:
		change.Order = c.order
	case change.Phase == phases.Updated && change.Status == metav1.ConditionFalse:
		c.order = change.Node.Versions
	case change.Phase == phases.Updated:
		c.order = Versions{}
	}
}

// merge merges a change into a pending change, and returns the entry of that change, or nil if there is none. before
// is the prediction without the change. If isNoop is set, the change writes nothing behind the pending changes.
func (c *Core) merge(change Change, before prediction, isNoop bool) *Entry {
	for i, e := range slices.Backward(c.queue) {
		merged, ok := e.Change.merge(change)
		ok = ok && (i > 0 || !c.inFlight)
		switch {
		case isNoop && ok && !before.rejected[i]:
			return e
		case change.maySet(e.Change):
			return nil
		case isNoop, change.Phase != "" && change.Phase != e.Change.Phase:
			continue
		case !ok:
			return nil
		}
		isNode := change.Phase == "" && change.Sets == nil // only the newest Node counts
		if !isNode && !c.leadsTo(i, merged, before, change) {
			return nil
		}
		e.specDone = e.specDone && merged.Node == e.Change.Node
		e.Change = merged
		return e
	}
	return nil
}

// maySet reports whether a change that sets no status may still set one behind an older change, because another process has
// started or ended an update: the older change gives the phase another status, or starts or ends an update.
func (c Change) maySet(older Change) bool {
	if c.Phase == older.Phase {
		return c.Status != older.Status
	}
	return c.Phase != "" && older.Phase == phases.Updated
}

// leadsTo reports whether the pending changes, with merged in place of change i, lead to the same object as before with
// another change behind them. If not, the texts of that change would overtake newer texts, or be overtaken.
func (c *Core) leadsTo(i int, merged Change, before prediction, change Change) bool {
	changes := c.changes()
	changes[i] = merged
	inPlace := c.predict(changes)
	behind, isRejected := c.after(before.State, change)
	return inPlace.rejected[i] == isRejected && inPlace.HasSameStatus(behind)
}

func (c *Core) changes() (changes []Change) {
	for _, e := range c.queue {
		changes = append(changes, e.Change)
	}
	return changes
}

// prediction is the state after pending changes, and says of each of them whether it will be rejected.
type prediction struct {
	State
	rejected []bool
}

func (c *Core) predict(changes []Change) prediction {
	p := prediction{State: c.object.State}
	for _, change := range changes {
		next, isRejected := c.after(p.State, change)
		p.State, p.rejected = next, append(p.rejected, isRejected)
	}
	return p
}

// after returns the state after a change, and whether the change is rejected. The daemon may have started an update that
// a controller has not read yet, so for a controller an update is under way.
func (c *Core) after(s State, change Change) (after State, isRejected bool) {
	for w := (Write{}); !w.Done; s = w.Next {
		var err error
		w, err = change.Plan(s, c.IsController)
		if errors.Is(err, ErrNoUpdate) {
			w, err = change.Plan(s, false)
		}
		if err != nil {
			return s, true
		}
		if w.WritesSpec {
			w.Next = w.Next.WithSpecOf(change.Node)
		}
	}
	return s, false
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
