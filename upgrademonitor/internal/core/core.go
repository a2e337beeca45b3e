package core

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Core is what is known of one object, and what is pending. The zero value knows nothing. It is
// not safe for concurrent use.
type Core struct {
	situation Situation
	object    Object    // the last version that is known; zero if Unknown
	node      plan.Node // the view of the Node at the last read or write
	listed    bool      // the Lister has shown this object
	busy      bool      // between Next and Done

	queue   []*Entry
	tail    *plan.State // what the queue leads to, nil if it is to be computed
	dropped []*Entry

	latest plan.Node // the last view of the Node
	spec   bool      // the spec is to follow it
}

// Submit accepts a change. The caller waits for the entry until it calls Leave.
//
//  1. A change that is true already has no entry.
//  2. A change that is rejected, and ErrFull, are errors, and nothing has changed.
//  3. Both are decided from what is known and pending, as long as the Node has the versions of the
//     last read or write, and nothing says that others have written. Else Next decides after a read.
func (c *Core) Submit(change plan.Change) (*Entry, error) {
	c.latest = change.View()
	var after *plan.State
	if c.situation != Unknown {
		p, err := change.Plan(c.predicted())
		if change.View().Versions == c.node.Versions {
			if err != nil && (c.situation != Stale || c.Pending()) {
				return nil, err
			}
			if err == nil && len(p.States) == 0 && c.situation == Fresh && c.isTrue(change) {
				return nil, nil
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
	e := &Entry{Change: change, waiters: 1}
	c.queue = append(c.queue, e)
	c.tail = after
	return e, nil
}

// isTrue reports whether the object is what a change asks for, whatever is pending.
func (c *Core) isTrue(change plan.Change) bool {
	if len(c.queue) == 0 {
		return true // it was planned on the object
	}
	p, err := change.Plan(c.object.State)
	return err == nil && len(p.States) == 0
}

// Follow has owner references and spec follow a view of the Node, after what is pending. It reports
// whether that may take a request.
func (c *Core) Follow(n plan.Node) bool {
	c.latest = n
	c.spec = c.situation != Fresh || len(c.queue) > 0 || !c.object.Follows(n)
	return c.spec
}

// SpecPending reports whether a write of the spec is pending.
func (c *Core) SpecPending() bool { return c.spec }

// Pending reports whether a change is pending.
func (c *Core) Pending() bool { return len(c.queue) > 0 }

// Deleted reports whether the object was deleted, and is to be created again.
func (c *Core) Deleted() bool {
	return c.situation == Deleted || c.situation == Recreated || c.situation == Missing && c.hasStatus()
}

// Version returns the version that is known, and whether the Lister has shown the object.
func (c *Core) Version() (uid types.UID, resourceVersion string, listed bool) {
	return c.object.UID, c.object.ResourceVersion, c.listed
}

// Doubt has a Fresh object read before the next change is found to be true already.
func (c *Core) Doubt() {
	if c.situation == Fresh && !c.busy {
		c.situation = Stale
	}
}

// RetryImages has images written again, to a CRD that may have the field now.
func (c *Core) RetryImages() { c.object.NoImages, c.tail = false, nil }

// NoImages reports whether images are left out.
func (c *Core) NoImages() bool { return c.object.NoImages }

// Unlisted records that the Lister does not have the object. One that it had before was deleted.
func (c *Core) Unlisted() {
	if c.listed && !c.busy {
		c.situation, c.listed = Deleted, false
	}
}

// Listed makes a version of the Lister the base of the next write, if it is newer than what is
// known and nothing in it is missing. Else it has the object read. The first read is one of the
// API server, so that it is known what an informer may have trimmed.
func (c *Core) Listed(o Object) {
	switch {
	case c.busy || c.situation == Unknown:
	case o.UID != c.object.UID && c.listed:
		c.situation, c.listed = Deleted, false
	case o.UID != c.object.UID: // of before it was created again
	case !o.isNewer(c.object):
		c.listed = true
	case c.situation == Fresh && o.hasAllOf(c.object, c.node.Mode):
		o.Update, o.NoImages = c.object.Update, c.object.NoImages
		o.State = o.Pin()
		c.object, c.listed, c.tail = o, true, nil
	default:
		c.Doubt()
	}
}

func (c *Core) hasStatus() bool { return len(c.object.Status.Conditions) > 0 }
