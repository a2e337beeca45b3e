package core

import (
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Next returns the next request, and false if there is nothing to do. Done is to be called with
// its result, before Next is called again. Without trySpec the spec is left for later.
func (c *Core) Next(trySpec bool) (Request, bool) {
	for {
		r, decided := c.next(trySpec)
		if decided {
			c.busy = r.Kind
			return r, r.Kind != ""
		}
	}
}

// next returns a request, or none where there is nothing to do. It has not decided after it has
// finished an entry, or changed what is to be done.
func (c *Core) next(trySpec bool) (r Request, decided bool) {
	head, node := c.head(), c.latest
	if head != nil {
		node = head.Change.View()
	}
	idle := head == nil && (!c.spec || !trySpec)
	switch c.situation {
	case Deleted:
		return Request{Kind: Get, Node: node}, true
	case Unknown, Stale, Unanswered:
		if idle {
			return Request{}, true
		}
		return Request{Kind: Get, Node: node}, true
	case Missing:
		if head != nil {
			if p, err := head.Change.Plan(c.base()); err != nil || len(p.States) == 0 && c.deleted == nil {
				c.finish(err) // it creates nothing
				return Request{}, false
			}
		} else if idle && c.deleted == nil {
			return Request{}, true
		}
		return Request{Kind: Create, Node: c.latest}, true
	case Recreated:
		restored := c.object.Restore(c.deleted.Status)
		restored.Target = c.deleted.Target
		return Request{Kind: PatchStatus, Base: c.object, Next: restored.Pin(), Node: node, Restores: true}, true
	}
	c.finishSpec()
	if head != nil {
		return c.nextStatus(head, trySpec)
	}
	c.spec = c.spec && !c.object.Follows(c.latest) // no report that is pending makes it follow another view
	return c.nextSpec(trySpec), true
}

// nextSpec returns the write of the spec that was asked for, if it does not follow the node yet.
func (c *Core) nextSpec(trySpec bool) Request {
	if !c.spec || !trySpec || c.object.Follows(c.latest) {
		return Request{}
	}
	return c.patchSpec(c.latest)
}

func (c *Core) patchSpec(node plan.Node) Request {
	return Request{Kind: PatchSpec, Base: c.object, Next: c.object.Follow(node), Node: node}
}

// nextStatus returns the write that is next for an entry of a Fresh object. The spec follows the
// node of a report that begins an update first, so that the target of the update is known whatever
// becomes of the write; a spec that was asked for waits for that.
func (c *Core) nextStatus(head *Entry, trySpec bool) (r Request, decided bool) {
	node := head.Change.View()
	p, err := head.Change.Plan(c.object.State)
	switch {
	case (err != nil || len(p.States) == 0) && !node.Equal(c.node):
		c.situation = Stale
		return Request{}, false
	case err == nil && p.Begins && !c.object.Follows(node):
		if trySpec {
			return c.patchSpec(node), true
		}
		c.spec = true // later
	case err != nil || !p.Begins:
		if r := c.nextSpec(trySpec); r.Kind != "" {
			return r, true
		}
	}
	switch {
	case err != nil:
		c.finish(err)
		return Request{}, false
	case len(p.States) == 0:
		c.finish(nil)
		return Request{}, false
	}
	next := p.States[0]
	if len(p.States) == 1 && next.Equal(c.object.State) {
		c.object.Target = next.Target
		c.finish(nil)
		return Request{}, false
	}
	r = Request{Kind: PatchStatus, Base: c.object, Next: next, Node: node}
	if len(p.States) == 1 {
		r.finishes = head
	}
	return r, true
}

// Done takes the result of the request that Next returned.
func (c *Core) Done(r Request, result Result) {
	c.busy = ""
	if r.Kind == PatchSpec && result.Outcome != apierr.OK && result.Outcome != apierr.Conflict && result.Outcome != apierr.NotFound {
		c.spec = true // that of a begin, too, is tried again
	}
	noImages := c.object.NoImages || result.NoImages
	switch {
	case result.Outcome == apierr.OK && (r.Kind == Get || r.Kind == Create):
		c.read(result.Object)
	case result.Outcome == apierr.OK:
		c.wrote(r, result)
	case result.Outcome == apierr.NotFound && r.Kind == Get:
		c.missed()
	case r.Restores && (result.Outcome == apierr.Denied || result.Outcome == apierr.Terminal):
		c.situation, c.deleted, c.tail = Fresh, nil, nil // it starts without a status
	case result.Outcome == apierr.Denied, r.Kind == Get:
		// nothing has changed
	case result.Outcome == apierr.Terminal && r.Kind == PatchStatus:
		c.finish(result.Err)
		c.situation = Stale
	case r.Restores, r.Kind == Create && c.deleted != nil:
		c.situation = Deleted // to be created again, even if nothing is pending
	case result.Outcome == apierr.Retry, result.Outcome == apierr.NoCRD:
		c.situation = Unanswered
		if r.Kind == PatchStatus {
			sent := r.Next // on the heap only if it is needed
			c.sent = &sent
		}
	default:
		c.situation = Stale
	}
	if result.Outcome == apierr.OK {
		c.node = r.Node
	}
	if result.NoImages && !c.object.NoImages {
		c.tail = nil
	}
	c.object.NoImages = noImages
}

// read takes an object that was read or created. One that was created again, for the same Node,
// gets the status that is known.
func (c *Core) read(o Object) {
	known := c.object
	if c.deleted != nil {
		known = *c.deleted
	}
	if o.Target = known.Target; c.sent != nil && o.Equal(*c.sent) {
		o.Target = c.sent.Target
	}
	c.listed, c.compared = c.listed && o.UID == known.UID, c.compared && o.UID == known.UID
	c.situation, c.deleted, c.sent = Fresh, nil, nil
	switch {
	case known.isOfAnotherNode(o.Owners...):
		o.Target = plan.Target{}
	case !o.hasStatus() && known.hasStatus():
		c.situation, c.deleted = Recreated, &known
	}
	o.State = o.Pin()
	c.object, c.tail = o, nil
}

// missed records that the object does not exist.
func (c *Core) missed() {
	if known := c.object; known.hasStatus() {
		c.deleted = &known
	}
	c.situation, c.object, c.listed, c.compared = Missing, Object{}, false, false
}

// wrote takes an accepted patch: what was sent is what is there.
func (c *Core) wrote(r Request, result Result) {
	next := r.Base
	next.State = r.Next
	next.UID, next.ResourceVersion, next.Generation = result.Object.UID, result.Object.ResourceVersion, result.Object.Generation
	if result.NoImages {
		next.Spec.ConfigImage, next.Status.ConfigImage = result.Object.Spec.ConfigImage, result.Object.Status.ConfigImage
	}
	c.object, c.situation, c.deleted = next, Fresh, nil
	if r.Kind == PatchSpec {
		c.tail = nil
	}
	if r.finishes != nil && r.finishes == c.head() && !result.NoImages {
		c.finish(nil)
	}
}
