package core

import (
	"errors"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Next returns the next request, or false if no request is needed. The caller must pass the result
// to Done before it calls Next again. If trySpec is false, the request does not write the spec,
// unless no change is pending and SubmitSpec was called since the last write of the spec failed.
func (c *Core) Next(trySpec bool) (Request, bool) {
	trySpec = trySpec || len(c.queue) == 0 && c.specEntry != nil
	for {
		r, decided := c.next(trySpec)
		if decided {
			c.inFlight = r.Verb
			return r, r.Verb != ""
		}
	}
}

// next returns a request, or the zero Request if no request is needed. decided is false if next
// must be called again, because it has settled an entry or has found that the object must be read.
func (c *Core) next(trySpec bool) (r Request, decided bool) {
	head, node := c.head(), c.latest
	if head != nil {
		node = head.Change.View()
	}
	if head == nil && !c.deleted && (!c.spec || !trySpec) && c.situation != Fresh {
		return Request{}, true
	}
	switch c.situation {
	case Unread, Stale, NoResponse:
		return Request{Verb: Get, Node: node}, true
	case Missing:
		if head != nil && !c.deleted && !node.ConditionsOnly {
			if p, err := head.Change.Plan(c.object.State); err != nil || len(p.States) == 0 {
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
	c.spec = c.spec && !c.object.InSync(c.latest) // the queue is empty, so an object in sync needs no write
	return c.nextSpec(trySpec), true
}

// nextSpec returns the pending write of the spec, or the zero Request if there is nothing to write.
func (c *Core) nextSpec(trySpec bool) Request {
	if !c.spec || !trySpec || c.object.InSync(c.latest) {
		return Request{}
	}
	return c.patchSpec()
}

// patchSpec returns a write of the spec. The spec follows the latest view of the Node: see begin.txt.
func (c *Core) patchSpec() Request {
	return Request{Verb: PatchSpec, Base: c.object, Next: c.object.Sync(c.latest), Node: c.latest}
}

// nextStatus returns the next write for the head of the queue. The object must be Fresh. A write of the
// spec, if one is needed, comes before a write of the status: see begin.txt, end.txt and
// spec_fails.txt.
func (c *Core) nextStatus(head *Entry, trySpec bool) (r Request, decided bool) {
	node := head.Change.View()
	p, err := head.Change.Plan(c.object.State)
	switch {
	case err != nil && !c.verified, err == nil && len(p.States) == 0 && !node.Equal(c.node):
		c.situation = Stale
		return Request{}, false
	case errors.Is(err, plan.ErrNotStarted) && !node.Equal(c.latest):
		head.Change = head.Change.At(c.latest) // the update that the report waits for may have been withdrawn
		return Request{}, false
	case errors.Is(err, plan.ErrNotStarted):
		return Request{Verb: Wait, Node: node}, true
	case err == nil && p.SyncsSpec && !c.object.InSync(c.latest):
		if trySpec {
			return c.patchSpec(), true
		}
		c.spec = true // write the spec later
	case !p.SyncsSpec:
		if r := c.nextSpec(trySpec); r.Verb != "" {
			return r, true
		}
	}
	switch {
	case err != nil:
		c.settle(err)
		return Request{}, false
	case len(p.States) == 0:
		c.settle(nil)
		return Request{}, false
	}
	next := p.States[0]
	if len(p.States) == 1 && next.Equal(c.object.State) {
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
			c.read(result.Object)
		} else {
			c.wrote(r, result.Object)
		}
		return Continue
	case apierr.NotFound:
		if r.Verb == Get {
			c.deleted = c.deleted || c.object.UID != "" && !c.latest.ConditionsOnly
			c.situation, c.object, c.tail = Missing, Object{}, nil
			c.listed, c.compared = false, false
			return Continue
		}
		c.situation = Stale
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
		if r.Verb == PatchStatus {
			sent := r.Next // a copy, so that r is not allocated on the heap
			c.sent = &sent
		}
	}
	if r.Verb == PatchSpec {
		c.spec = true // retry this write later, even if SubmitSpec did not request it
		c.settleSpec(result.Err)
		return SkipSpec
	}
	return GiveUp
}

// read records an object that was read or created.
func (c *Core) read(o Object) {
	if o.UID == c.object.UID {
		if o.Target = c.object.Target; c.sent != nil && o.Equal(*c.sent) {
			o.Target = c.sent.Target
		}
	} else {
		c.listed, c.compared = false, false
	}
	o.State = o.Pin()
	c.object, c.tail = o, nil
	c.situation, c.deleted, c.sent, c.verified = Fresh, false, nil, true
}

// wrote records an accepted patch. The object now has the state r.Next.
func (c *Core) wrote(r Request, response Object) {
	o := r.Base
	o.State = r.Next
	o.UID, o.ResourceVersion, o.Generation = response.UID, response.ResourceVersion, response.Generation
	c.object, c.situation, c.verified = o, Fresh, true
	if r.Verb == PatchSpec {
		c.tail = nil
	}
	if r.completes != nil && r.completes == c.head() {
		c.settle(nil)
	}
}
