package planner

import (
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Situation says what is known about the object. It decides which request is next.
type Situation string

// The situations.
const (
	Stale   Situation = ""        // never read, a newer version may exist, or a write had no response: read it
	Fresh   Situation = "Fresh"   // no other client is known to have written a newer version: patch it
	Missing Situation = "Missing" // the object does not exist: create it
)

// The Core makes as few requests as it can, and still never writes from an object that has changed. It believes its own last
// write until a conflict, or a newer object in the Lister. It reads before it rejects a report, or drops it as a no-op, unless
// nothing can have changed: another process may have started or ended an update, or the object may have been deleted.

// Core has the known state of one MachineConfigNode, and the pending changes. In a zero Core, the
// object was never read. A Core is not safe for concurrent use.
type Core struct {
	// IsController is set in a controller. It writes only conditions, and starts no update. The daemon
	// of the node writes the spec, the owner references, and the configs and images in the status.
	IsController bool

	situation Situation
	// object is the known object: the last version that was read or written, or a newer version
	// from the Lister. It is zero if the object was never read, or is missing.
	object  Object
	node    Node // the Node of the last request that succeeded
	listing listing
	// followed has the last configs and images that were submitted. Follow submits them only once, so
	// that two processes whose views of the Node differ do not overwrite each other forever.
	followed Versions
	// order has what the Node desired when this daemon last reported Updated=False, until it reports
	// Updated=True. The daemon works on this order, even if the Node desires something else by now.
	order Versions
	// begun counts the requests. known is the number of the last request that has read or written the object,
	// or has not found it: see needsRead.
	begun, known int
	inFlight     bool // between Next and Done

	queue   []*Entry
	settled []*Entry // the entries that were settled since the last TakeSettled
}

// listing says whether the Lister shows the known object.
type listing string

const (
	notListed   listing = ""            // the Lister was not read since the object was, or there is none
	listed      listing = "listed"      // in any version
	notInLister listing = "notInLister" // the Lister may be behind, or the object was deleted
)

// See records the object in the Lister. A newer version of the known object replaces it. Versions that cannot be
// compared are ignored. If the Lister does not work, lists is false. If the Lister does not have the object, shown
// is nil.
func (c *Core) See(shown *Object, lists bool) {
	switch {
	case !lists:
	case shown != nil && shown.UID == c.object.UID:
		c.listing = listed
		order, _ := resourceversion.CompareResourceVersion(shown.ResourceVersion, c.object.ResourceVersion)
		if order > 0 {
			c.object = *shown
		}
	case c.listing == listed: // the object was deleted, and perhaps created again
		c.situation = Stale
		c.listing = notInLister
		c.followed = Versions{}
	default:
		c.listing = notInLister
	}
}

// Next returns the next request, or false if no request is needed. latest is the Node in the latest view. The
// caller must pass the result to Done before it calls Next again.
func (c *Core) Next(latest Node) (Request, bool) {
	for len(c.queue) > 0 {
		if r := c.next(c.queue[0], latest); r.Verb != "" {
			c.inFlight = true
			c.begun++
			return r, true
		}
	}
	return Request{}, false
}

// next returns the next request for the head of the queue. It returns the zero Request if it has changed
// the queue or the situation.
func (c *Core) next(head *Entry, latest Node) Request {
	if c.situation == Stale {
		return Request{Verb: Get, Node: head.Change.Node}
	}
	p := c.plan(head, c.object.State, latest)
	switch {
	case c.needsRead(head, p):
		c.situation = Stale
	case p.err != nil || p.isNoop:
		c.settle(p.err)
	case c.situation == Missing:
		return Request{Verb: Create, Node: latest}
	case p.specFirst:
		return Request{Verb: PatchSpec, Base: c.object, Next: c.object.WithSpecOf(latest), Node: latest}
	default:
		return Request{Verb: PatchStatus, Base: c.object, Next: p.write.Next, Node: head.Change.Node, isLast: p.write.Done}
	}
	return Request{}
}

// plan is what to do with an entry, if the object is in a state.
type plan struct {
	write     Write
	err       error // the change is not allowed
	specFirst bool  // the spec must be written before the status
	isNoop    bool  // nothing to write: the object already shows the change
}

func (c *Core) plan(e *Entry, s State, latest Node) (p plan) {
	p.write, p.err = e.Change.Plan(s, c.IsController)
	p.specFirst = p.write.WritesSpec && !e.specDone && !s.HasSpecOf(latest)
	p.isNoop = p.err == nil && p.write.Done && p.write.Next.HasSameStatus(s) && !p.specFirst
	return p
}

// needsRead says when the object must be read first: a rejection, and a no-op that is not certain, need a read
// that began after the submit. So does a controller's report if the object was missing, because only the daemon
// creates it. A no-op is not certain if the Node has changed, because another process may have started or ended
// an update, or if the Lister does not have the object, because it may have been deleted.
func (c *Core) needsRead(e *Entry, p plan) bool {
	isCertain := c.situation == Fresh && c.listing != notInLister && e.Change.Node.hasSameVersions(c.node)
	waitsForDaemon := c.IsController && c.situation == Missing
	return (p.err != nil || p.isNoop && !isCertain || waitsForDaemon) && c.known <= e.after
}

// Done records the result of the request that Next returned. The Verdict says how to continue.
func (c *Core) Done(r Request, result Result) Verdict {
	c.inFlight = false
	isWrite := r.Verb != Get
	switch result.Outcome {
	case apierr.OK:
		c.node = r.Node
		c.object = result.Object
		c.situation = Fresh
		c.known = c.begun
		if r.Verb == PatchSpec {
			c.queue[0].specDone = true
		}
		if r.isLast {
			c.settle(nil)
		}
		return Continue
	case apierr.NotFound:
		if !isWrite {
			c.object = Object{}
			c.situation = Missing
			c.known = c.begun
			c.listing = notListed
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
	case apierr.Denied:
		if r.Verb == Create { // another process may create the object next
			c.situation = Stale
		}
		return GiveUp
	}
	if isWrite {
		c.situation = Stale
	}
	switch {
	case result.Outcome == apierr.Terminal && r.Verb == PatchStatus:
		c.settle(result.Err)
		return Continue
	case result.Outcome == apierr.Terminal && r.Verb == PatchSpec && c.queue[0].Change.Phase == "":
		c.settle(result.Err)
		return Continue
	case result.Outcome == apierr.Terminal && r.Verb == PatchSpec:
		c.queue[0].specDone = true
		return Continue
	}
	return GiveUp
}
