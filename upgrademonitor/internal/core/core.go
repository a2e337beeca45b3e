package core

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Core is what is known of one object, and what is pending. The zero value knows nothing. It is
// not safe for concurrent use.
type Core struct {
	situation Situation
	// object is the last version that is known of the object that is there. Invariant: it is zero if
	// the situation is Unknown or Missing.
	object Object
	// deleted is the last version of one that is there no more, and whose status is to be restored.
	// Invariant: it is nil unless the situation is Deleted, Missing or Recreated; it has a status.
	deleted *Object
	node    plan.Node // the view of the Node at the last read or write
	// listed is set if the Lister has shown this object, and compared if its versions can be
	// compared with those of the API server, so that it shows what others write. Invariant: an object
	// that is compared is listed.
	listed, compared bool
	// busy is the kind of the request between Next and Done, else "": what the Lister shows may be the
	// request's own doing.
	busy Kind
	// sent is a status whose answer was lost, until the next read: if it is what is there, its Target,
	// which no object shows, is what is remembered.
	sent *plan.State

	queue []*Entry
	// tail is what the queue leads to. Invariant: it is nil, to be computed, or the plan of the whole
	// queue on the object.
	tail     *plan.State
	finished []*Entry // since the last TakeFinished

	latest    plan.Node // the last view of the Node
	spec      bool      // the spec is to follow it
	specEntry *Entry    // of those who wait for that. Invariant: it is nil unless spec is set
}

// Submit accepts a change. The caller waits for the entry until it calls Leave. With check, a change
// that is true already is checked by a read.
//
//  1. A change that is true already has no entry.
//  2. A change that is rejected, and ErrFull, are errors, and nothing has changed.
//  3. Both are decided from what is known and pending, as long as the Node is that of the last read or
//     write, with the same versions, and nothing says that others have written. Else Next decides after a
//     read.
func (c *Core) Submit(change plan.Change, check bool) (*Entry, error) {
	c.latest = change.View()
	var after *plan.State
	if c.situation != Unknown {
		p, err := change.Plan(c.predicted())
		if change.View().Equal(c.node) {
			if err != nil && c.situation != Stale {
				return nil, err
			}
			if err == nil && len(p.States) == 0 && c.situation == Fresh && c.isTrue(change) {
				if !check {
					return nil, nil
				}
				c.Doubt()
			}
		}
		if after = c.tail; err == nil && len(p.States) > 0 {
			after = &p.States[len(p.States)-1]
		}
	}
	if e := c.absorb(change); e != nil {
		return e, nil
	}
	if c.Full() {
		return nil, ErrFull
	}
	e := newEntry(change)
	c.queue = append(c.queue, e)
	c.tail = after
	return e, nil
}

// isTrue reports whether the object is what a change asks for, whatever is pending.
func (c *Core) isTrue(change plan.Change) bool {
	if len(c.queue) == 0 {
		return true // it was planned on the object
	}
	p, err := change.Plan(c.base())
	return err == nil && len(p.States) == 0
}

// IsNeeded reports whether a change would change what the queue leads to, as far as that is known.
func (c *Core) IsNeeded(change plan.Change) bool {
	p, err := change.Plan(c.predicted())
	return err == nil && len(p.States) > 0
}

// Look takes a later view of the Node, for the spec and for an object that is to be created.
func (c *Core) Look(n plan.Node) { c.latest = n }

// Follow has owner references and spec follow a view of the Node, after what is pending. The entry is
// finished once they do; it is nil if they do already, and no request is about to change that. With check, that is checked by a read.
func (c *Core) Follow(n plan.Node, check bool) *Entry {
	c.latest = n
	if check {
		c.Doubt()
	}
	follows := c.situation == Fresh && c.busy != PatchSpec && c.object.Follows(n)
	c.spec = !follows || len(c.queue) > 0 // a report that is pending may make it follow another view
	if follows {
		return nil
	}
	if c.specEntry == nil {
		c.specEntry = newEntry(nil)
	}
	return c.specEntry
}

// SpecPending reports whether a write of the spec is pending.
func (c *Core) SpecPending() bool { return c.spec }

// Pending reports whether a change is pending.
func (c *Core) Pending() bool { return len(c.queue) > 0 }

// Known reports whether the object was read.
func (c *Core) Known() bool { return c.situation != Unknown }

// Deleted reports whether the object was deleted, and is to be created again.
func (c *Core) Deleted() bool {
	return c.situation == Deleted || c.deleted != nil
}

// Version returns the version that is known, and whether the Lister has shown the object.
func (c *Core) Version() (uid types.UID, resourceVersion string, listed bool) {
	return c.object.UID, c.object.ResourceVersion, c.listed
}

// Compared reports whether the Lister shows what others write.
func (c *Core) Compared() bool { return c.compared }

// Doubt has the object read before the next change is found to be true already, or is rejected.
func (c *Core) Doubt() {
	if (c.situation == Fresh || c.situation == Unanswered) && c.busy == "" {
		c.situation = Stale
	}
}

// RetryImages has images written again, to a CRD that may have the field now.
func (c *Core) RetryImages() { c.object.NoImages, c.tail = false, nil }

// NoImages reports whether images are left out.
func (c *Core) NoImages() bool { return c.object.NoImages }

// Unlisted records that the Lister does not have the object. One that it had before was deleted.
func (c *Core) Unlisted() {
	if c.listed && c.busy == "" {
		c.situation, c.listed, c.compared = Deleted, false, false
	}
}

// Listed makes a version of the Lister the base of the next write, if it is newer than what is
// known and nothing in it is missing. Else it has the object read. The first read is one of the
// API server, so that it is known what an informer may have trimmed.
func (c *Core) Listed(o Object) {
	if c.busy != "" || c.situation == Unknown {
		return
	}
	if o.UID != c.object.UID {
		if c.listed { // else it is of before it was created again
			c.situation, c.listed, c.compared = Deleted, false, false
		}
		return
	}
	order, err := resourceversion.CompareResourceVersion(o.ResourceVersion, c.object.ResourceVersion)
	c.listed, c.compared = true, err == nil
	switch {
	case err != nil || order <= 0:
	case c.situation == Fresh && o.hasAllOf(c.object, c.node.Mode):
		o.Target, o.NoImages, o.Foreign = c.object.Target, c.object.NoImages, c.object.Foreign // equal, as the API server sent them
		o.State = o.Pin()
		c.object, c.tail = o, nil
	default:
		c.Doubt()
	}
}
