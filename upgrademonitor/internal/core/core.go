package core

import (
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Core is the knowledge of one object, and the pending changes. The zero value knows nothing. It
// is not safe for concurrent use.
type Core struct {
	situation Situation
	// object is the last known version. Invariant: it is zero if the situation is Unread or Missing.
	object Object
	node   plan.Node // the view of the Node at the last read or write
	// listed is set if the Lister has shown this object, and compared if its versions can be
	// compared with those of the API server. Invariant: an object that is compared is listed.
	listed, compared bool
	// unconfirmed is set if nothing has confirmed the object for too long.
	unconfirmed bool
	// deleted is set after the Lister has lost the object: it is read, and created if it is missing,
	// even if no change is pending.
	deleted bool
	// inFlight is the kind of the request between Next and Done, else "". Until Done, the Lister may
	// show the effect of that request.
	inFlight Kind
	// sent is the status of a write whose response was lost. If the next read finds it stored, its
	// Target is kept. The object does not show a Target.
	sent *plan.State

	queue []*Entry
	// tail is the state after the whole queue. Invariant: it is nil, to be computed, or up to date.
	tail    *plan.State
	settled []*Entry // since the last TakeSettled

	latest    plan.Node     // the latest view of the Node
	followed  plan.Versions // the versions that were last submitted
	spec      bool          // the spec must be written if it is not in sync with latest
	specEntry *Entry        // of the callers that wait for the spec. Invariant: it is nil unless spec is set
}

// View is what this process sees at one moment.
type View struct {
	Node plan.Node
	// Lists is set if there is a Lister and it works. Listed is its object, nil if it has none.
	Lists  bool
	Listed *Object
	// Expired is set if the API server has confirmed nothing for too long.
	Expired bool
}

// See takes a view. A listed object that is newer than the known object, and complete, becomes the
// base of the next write. An object that the Lister has lost is read again.
func (c *Core) See(v View) {
	c.latest = v.Node
	switch {
	case c.inFlight != "" || !v.Lists || c.situation == Unread:
	case v.Listed != nil && v.Listed.UID == c.object.UID:
		c.list(*v.Listed)
	case c.listed: // it was deleted, and perhaps created again
		c.situation, c.listed, c.compared = Stale, false, false
		c.deleted = v.Listed == nil
	}
	c.unconfirmed = v.Expired && (!v.Lists || !c.compared)
}

// list takes a version of the known object from the Lister.
func (c *Core) list(o Object) {
	if o.ResourceVersion == c.object.ResourceVersion && c.listed {
		return
	}
	order, err := resourceversion.CompareResourceVersion(o.ResourceVersion, c.object.ResourceVersion)
	c.listed, c.compared = true, err == nil
	switch {
	case err != nil || order <= 0:
	case c.situation == Fresh && o.hasAllOf(c.object, c.node.Mode):
		o.Target = c.object.Target
		o.State = o.Pin()
		c.object, c.tail = o, nil
	default:
		c.doubt()
	}
}

// doubt has the object read before the next change is found to be a repeat, or is rejected.
func (c *Core) doubt() {
	if (c.situation == Fresh || c.situation == Unanswered) && c.inFlight == "" {
		c.situation = Stale
	}
}

// Submit accepts a change. The caller waits for the entry until it calls Leave.
//
//  1. A change that is true of the object already has no entry.
//  2. A change that is invalid, and ErrFull, are errors, and nothing has changed.
//  3. A change that changes nothing after the pending changes is a repeat: it has the last entry,
//     must not call Leave, and takes no place in the queue.
//  4. These decisions need an object that is not Stale, and the Node of the last read or write with
//     the same versions. Otherwise Next decides after a read, unless the change is pending already.
func (c *Core) Submit(change plan.Change) (e *Entry, repeat bool, err error) {
	var after *plan.State
	if c.situation != Unread {
		p, err := change.Plan(c.predicted())
		isCertain := c.situation != Stale && change.View().Equal(c.node)
		isRepeat := err == nil && len(p.States) == 0
		switch {
		case err != nil && isCertain:
			return nil, false, err
		case isRepeat && isCertain && c.situation == Fresh && c.isTrue(change):
			c.followed = change.View().Versions
			if !c.unconfirmed {
				return nil, false, nil
			}
			c.doubt()
		case isRepeat && len(c.queue) > 0 && (isCertain || c.isPending(change)):
			c.followed = change.View().Versions
			return c.last(), true, nil
		}
		if after = c.tail; err == nil && len(p.States) > 0 {
			after = &p.States[len(p.States)-1]
		}
	}
	e = c.absorb(change)
	if e == nil {
		if c.isFull() {
			return nil, false, ErrFull
		}
		e = newEntry(change)
		c.queue = append(c.queue, e)
		c.tail = after
	}
	c.followed = change.View().Versions
	return e, false, nil
}

// isTrue reports whether the object is as a change asks for, whatever is pending.
func (c *Core) isTrue(change plan.Change) bool {
	if len(c.queue) == 0 {
		return true // it was planned on the object
	}
	p, err := change.Plan(c.object.State)
	return err == nil && len(p.States) == 0
}

// Follow submits the versions of the latest view of the Node if they have changed since the last
// change or Follow, and if the status would have other versions. It returns the entry, or nil.
func (c *Core) Follow() *Entry {
	if c.situation == Unread || c.latest.Versions == c.followed {
		return nil
	}
	change := plan.NodeChange{Node: c.latest}
	if p, err := change.Plan(c.predicted()); err != nil || len(p.States) == 0 {
		c.followed = c.latest.Versions
		return nil
	}
	e, repeat, err := c.Submit(change)
	if e == nil || repeat || err != nil { // a full queue: the next call submits them
		return nil
	}
	e.waiters--
	return e
}

// SubmitSpec has owner references and spec written, after the pending changes, if they are not in
// sync with the latest view of the Node. The entry is settled when they are. It is nil if the object is in sync
// and no write of the spec is in flight.
func (c *Core) SubmitSpec() *Entry {
	if c.unconfirmed {
		c.doubt()
	}
	inSync := c.situation == Fresh && c.inFlight != PatchSpec && c.object.InSync(c.latest)
	c.spec = !inSync || len(c.queue) > 0 // a pending change may need a write of the spec
	if inSync {
		return nil
	}
	if c.specEntry == nil {
		c.specEntry = newEntry(nil)
	}
	return c.specEntry
}

// Pending reports whether a change is pending, or the object must be created again.
func (c *Core) Pending() bool { return len(c.queue) > 0 || c.deleted }

// SpecPending reports whether a write of the spec is pending.
func (c *Core) SpecPending() bool { return c.spec }
