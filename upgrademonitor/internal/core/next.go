package core

import (
	"errors"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Next returns the next request, or false if no request is needed. The caller must pass the result
// to Done before it calls Next again. If trySpec is false, the request does not write the spec. There
// is one exception: no change is pending, and a caller of SubmitSpec waits for the write.
func (c *Core) Next(trySpec bool) (Request, bool) {
	if len(c.queue) == 0 && c.specEntry != nil {
		trySpec = true
	}
	for {
		r, decided := c.next(trySpec)
		if decided {
			c.inFlight = r.Verb
			return r, r.Verb != ""
		}
	}
}

// next returns a request, or the zero Request if no request is needed. If decided is false, next has
// changed the queue or the situation, and must be called again.
func (c *Core) next(trySpec bool) (r Request, decided bool) {
	head, node := c.head(), c.latest
	if head != nil {
		node = head.Change.View()
	}
	hasSpec := c.specPending && trySpec
	hasWork := head != nil || c.deleted || hasSpec
	if !hasWork && c.situation != Fresh {
		return Request{}, true
	}
	switch c.situation {
	case Unread, Stale, NoResponse:
		return Request{Verb: Get, Node: node}, true
	case Missing:
		if head != nil && !node.ConditionsOnly {
			p, err := head.Change.Plan(c.object.State)
			if len(p.States) == 0 {
				c.settle(err) // the change is invalid or changes nothing, so the object need not be created
				return Request{}, false
			}
		}
		return Request{Verb: Create, Node: c.latest}, true
	}
	if c.object.InSync(c.latest) {
		c.settleSpec(nil)
	}
	if head != nil {
		return c.nextStatus(head, trySpec)
	}
	if c.object.InSync(c.latest) {
		c.specPending = false // no change is pending, so the spec stays in sync
	}
	return c.nextSpec(trySpec), true
}

// nextSpec returns the pending write of the spec, or the zero Request if there is nothing to write.
func (c *Core) nextSpec(trySpec bool) Request {
	if !c.specPending || !trySpec || c.object.InSync(c.latest) {
		return Request{}
	}
	return c.patchSpec()
}

// patchSpec returns a write that makes the spec match the Node in the latest view: see begin.txt.
func (c *Core) patchSpec() Request {
	return Request{Verb: PatchSpec, Base: c.object, Next: c.object.Sync(c.latest), Node: c.latest}
}

// nextStatus returns the next write for the head of the queue. The object must be Fresh. If the spec
// must be written too, the write of the spec is first: see begin.txt, end.txt and spec_fails.txt.
func (c *Core) nextStatus(head *Entry, trySpec bool) (r Request, decided bool) {
	node := head.Change.View()
	p, err := head.Change.Plan(c.object.State)
	isApplied := err == nil && len(p.States) == 0
	mustRead := err != nil && !c.verified || isApplied && !node.Equal(c.node)
	switch {
	case mustRead:
		c.situation = Stale
		return Request{}, false
	case errors.Is(err, plan.ErrNotStarted) && !node.Equal(c.latest):
		head.Change = head.Change.At(c.latest) // the Node may no longer need the update
		return Request{}, false
	case errors.Is(err, plan.ErrNotStarted):
		return Request{Verb: Wait, Node: node}, true
	case err == nil && p.SyncsSpec && !c.object.InSync(c.latest):
		if trySpec {
			return c.patchSpec(), true
		}
		c.specPending = true // write the spec later
	case !p.SyncsSpec:
		if r := c.nextSpec(trySpec); r.Verb != "" {
			return r, true
		}
	}
	switch {
	case err != nil:
		c.settle(err)
		return Request{}, false
	case isApplied:
		c.settle(nil)
		return Request{}, false
	}
	next := p.States[0]
	if len(p.States) == 1 && next.Equal(c.object.State) { // only Target differs
		c.object.Target = next.Target
		c.settle(nil)
		return Request{}, false
	}
	r = Request{Verb: PatchStatus, Base: c.object, Next: next, Node: node}
	if len(p.States) == 1 {
		r.completes = head
	}
	return r, true
}

// Done records the result of the request that Next returned. The Verdict says how to continue.
func (c *Core) Done(r Request, result Result) Verdict {
	c.inFlight = ""
	switch result.Outcome {
	case apierr.OK:
		c.node = r.Node
		if r.Verb == Get || r.Verb == Create {
			c.recordObject(result.Object)
		} else {
			c.recordPatch(r, result.Object)
		}
		return Continue
	case apierr.NotFound:
		if r.Verb == Get {
			c.deleted = c.deleted || c.object.UID != "" && !c.latest.ConditionsOnly
			c.situation = Missing
			c.know(Object{})
			c.forgetListed()
			return Continue
		}
		c.situation = Stale
		if r.Verb == Create {
			return GiveUp // the API server does not serve the resource
		}
		return Pause
	case apierr.Conflict:
		c.situation = Stale
		return Pause
	case apierr.Terminal:
		if r.Verb != Get {
			c.situation = Stale
		}
		if r.Verb == PatchStatus {
			c.settle(result.Err)
			return Continue
		}
	case apierr.Denied:
		if r.Verb == Create || r.Verb == Wait { // another process may write the object next
			c.situation = Stale
		}
	default:
		if r.Verb != Get {
			c.situation = NoResponse
		}
	}
	if r.Verb == PatchSpec {
		c.specPending = true // retry this write later, even if SubmitSpec did not request it
		c.settleSpec(result.Err)
		return SkipSpec
	}
	return GiveUp
}

// recordObject records an object that was read or created.
func (c *Core) recordObject(o Object) {
	if o.UID == c.object.UID {
		o.Target = c.object.Target
	} else {
		c.forgetListed()
	}
	c.know(o)
	c.situation = Fresh
	c.deleted = false
	c.verified = true
}

// recordPatch records an accepted patch. The object now has the state r.Next.
func (c *Core) recordPatch(r Request, response Object) {
	o := r.Base
	o.State = r.Next
	o.ResourceVersion = response.ResourceVersion
	o.Generation = response.Generation
	c.know(o)
	c.situation = Fresh
	c.verified = true
	if r.completes != nil {
		c.settle(nil)
	}
}
