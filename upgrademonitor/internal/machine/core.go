package machine

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

// Core has the known state of one MachineConfigNode, and the pending changes. In a zero Core, the
// object was never read. A Core is not safe for concurrent use.
type Core struct {
	situation Situation
	// object is the known object: the last version that was read or written, or a newer version
	// from the Lister. It is zero if the object was never read, or is missing.
	object  Object
	node    Node // the Node of the last request that succeeded
	latest  Node // the Node in the latest view
	listing listing
	// followed has the last configs and images that were submitted. Follow submits them only once, so
	// that two processes whose views of the Node differ do not overwrite each other forever.
	followed Versions
	// begun counts the requests. known is the number of the request with the known object. A change of an
	// existing object is rejected, or needs no write although the known object is
	// not certain (see isCertain), only if this request began after the last submit of the change: another
	// process may have written the object in the meantime.
	begun, known int
	// inFlight is the verb of the request between Next and Done, otherwise "". During a request,
	// See ignores the Lister, because the Lister may already show the effect of the request.
	inFlight Verb

	queue   []*Entry
	settled []*Entry // the entries that were settled since the last TakeSettled
}

// listing says whether the Lister shows the known object.
type listing string

const (
	notListed listing = ""        // the Lister was not read since the object was, or there is none
	listed    listing = "listed"  // in any version
	missing   listing = "missing" // the Lister may be behind, or the object was deleted
)

// See records the Node, and the object in the Lister, read at the same moment. If the Lister does not
// work, lists is false. If the Lister does not have the object, shown is nil.
func (c *Core) See(n Node, shown *Object, lists bool) {
	c.latest = n
	switch {
	case c.inFlight != "" || !lists:
	case shown != nil && shown.UID == c.object.UID:
		c.listing = listed
		order, _ := resourceversion.CompareResourceVersion(shown.ResourceVersion, c.object.ResourceVersion)
		if order > 0 && c.situation == Fresh {
			c.object = *shown
		}
	case c.listing == listed: // the object was deleted, and perhaps created again
		c.situation = Stale
		c.listing = missing
		c.followed = Versions{}
	default:
		c.listing = missing
	}
}

// Next returns the next request, or false if no request is needed. The caller must pass the result
// to Done before it calls Next again.
func (c *Core) Next() (Request, bool) {
	for len(c.queue) > 0 {
		if r := c.next(c.queue[0]); r.Verb != "" {
			c.inFlight = r.Verb
			c.begun++
			return r, true
		}
	}
	return Request{}, false
}

// next returns the next request for the head of the queue. It returns the zero Request if it has changed
// the queue or the situation.
func (c *Core) next(head *Entry) Request {
	node := head.Change.Node
	if c.situation == Stale {
		return Request{Verb: Get, Node: node}
	}
	step, err := head.Change.Plan(c.object.State)
	syncsSpec := step.SyncsSpec && !head.specDone && !c.object.InSync(c.latest)
	isNoop := err == nil && step.Done && step.Next.Equal(c.object.State) && !syncsSpec
	isVerified := c.known > head.after
	switch {
	case c.situation == Missing && (isNoop && !node.ConditionsOnly || err != nil):
		if node.ConditionsOnly { // the daemon may create the object next
			c.situation = Stale
		}
		c.settle(err)
	case c.situation == Missing:
		return Request{Verb: Create, Node: c.latest}
	case (err != nil || isNoop && !c.isCertain(node)) && !isVerified:
		c.situation = Stale
	case err != nil:
		c.settle(err)
	case isNoop:
		c.settle(nil)
	case syncsSpec:
		return Request{Verb: PatchSpec, Base: c.object, Next: c.object.Sync(c.latest), Node: c.latest}
	default:
		return Request{Verb: PatchStatus, Base: c.object, Next: step.Next, Node: node, step: step}
	}
	return Request{}
}

// isCertain reports whether a change that the known object shows needs no read. If the Node has changed,
// another process may have started or ended an update. If the Lister does not have the object, it may have
// been deleted.
func (c *Core) isCertain(n Node) bool {
	return c.situation == Fresh && c.listing != missing && n.Equal(c.node)
}

// Done records the result of the request that Next returned. The Verdict says how to continue.
func (c *Core) Done(r Request, result Result) Verdict {
	c.inFlight = ""
	isWrite := r.Verb != Get
	switch result.Outcome {
	case apierr.OK:
		c.node = r.Node
		c.record(r, result.Object)
		if r.Verb == PatchSpec {
			c.queue[0].specDone = true
		}
		if r.step.Done {
			c.settle(nil)
		}
		return Continue
	case apierr.NotFound:
		if !isWrite {
			c.object = Object{}
			c.situation = Missing
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
		if r.Verb == Create { // another process may write the object next
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

// record makes an object that was read, created or patched the known object.
func (c *Core) record(r Request, o Object) {
	if o.UID != c.object.UID {
		c.listing = notListed
	}
	c.object = o
	c.situation = Fresh
	c.known = c.begun
}
