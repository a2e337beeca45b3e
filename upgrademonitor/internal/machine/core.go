package machine

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Situation says what is known about the object. It decides which request is next.
type Situation string

// The situations.
const (
	Unread  Situation = ""        // the object was never read: read it
	Fresh   Situation = "Fresh"   // no other client is known to have written a newer version: patch it
	Stale   Situation = "Stale"   // a newer version may exist, or a write had no response: read the object
	Missing Situation = "Missing" // the object does not exist: create it
)

// Verb is the kind of a request: the API verb and, for a patch, the part of the object to patch.
type Verb string

// The verbs.
const (
	Get         Verb = "Get"
	Create      Verb = "Create" // without a status, which the API server would drop
	PatchSpec   Verb = "PatchSpec"
	PatchStatus Verb = "PatchStatus"
	// Wait means that the daemon must write the object first. The caller makes no request, and passes
	// the outcome Denied to Done.
	Wait Verb = "Wait"
)

// Request is a request to the API server. A patch changes the version Base of the object to the state
// Next.
type Request struct {
	Verb Verb
	Base Object
	Next State
	Node Node // the Node from which the request is computed

	step Step // of the head of the queue
}

// Result is the result of a request, with the object in the response.
type Result struct {
	Outcome apierr.Outcome
	Object  Object
	Err     error
}

// Verdict says how to continue after a request.
type Verdict string

// The verdicts.
const (
	Continue Verdict = ""       // make the next request at once
	Pause    Verdict = "Pause"  // another client has changed or deleted the object: wait for a moment
	GiveUp   Verdict = "GiveUp" // the attempt has failed: make no more requests until a retry
)

// Core has the known state of one MachineConfigNode, and the pending changes. In a zero Core, the
// object was never read. A Core is not safe for concurrent use.
type Core struct {
	situation Situation
	// object is the known object: the last version that was read or written, or a newer version
	// from the Lister. It is zero if the situation is Unread or Missing.
	object Object
	node   Node // the Node of the last request that succeeded
	latest Node // the Node in the latest view
	listed bool // the Lister has returned the known object, in any version
	// followed has the last configs and images that were submitted. Follow submits them only once, so
	// that two processes whose views of the Node differ do not overwrite each other forever.
	followed Versions
	// verified is set if the object was read or written after the last change was submitted. A change
	// is rejected only if verified is set, because another process may have made the change valid
	// after an earlier read.
	verified bool
	// inFlight is the verb of the request between Next and Done, otherwise "". During a request,
	// See ignores the Lister, because the Lister may already show the effect of the request.
	inFlight Verb

	queue   []*Entry
	settled []*Entry // the entries that were settled since the last TakeSettled
}

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

	start    start
	specDone bool // the spec was written, or the API server has rejected it permanently
}

// See records the Node, and the object in the Lister, read at the same moment. If the Lister does not
// work, lists is false. If the Lister does not have the object, listed is nil.
func (c *Core) See(n Node, listed *Object, lists bool) {
	c.latest = n
	switch {
	case c.inFlight != "" || !lists:
	case listed != nil && listed.UID == c.object.UID:
		c.listed = true
		order, _ := resourceversion.CompareResourceVersion(listed.ResourceVersion, c.object.ResourceVersion)
		switch {
		case order <= 0: // not newer, or not comparable
		case c.situation == Fresh:
			c.object = *listed
		default:
			c.situation = Stale
		}
	case c.listed: // the object was deleted, and perhaps created again
		c.situation = Stale
		c.listed = false
		c.followed = Versions{}
	}
}

// Submit adds a change to the queue, and returns its entry. The error is ErrFull or nil.
//
//  1. If the object already has the requested state, the entry is nil.
//  2. If the object will have the requested state after the pending changes, repeat is true, and
//     the entry is the last entry of the queue. The caller waits until this entry is settled, and
//     submits the change again.
//  3. A change that only changes texts replaces the texts of the last pending change of its phase.
func (c *Core) Submit(change Change) (e *Entry, repeat bool, err error) {
	c.verified = false
	c.followed = change.Node.Versions
	before := c.predicted()
	step, planErr := change.Plan(before, undecided)
	isNoop := planErr == nil && step.Done && step.Next.Equal(before) && (!step.SyncsSpec || c.object.InSync(c.latest))
	isCertain := c.situation == Fresh && change.Node.Equal(c.node)
	switch {
	case isNoop && isCertain && len(c.queue) == 0:
		return nil, false, nil
	case isNoop && len(c.queue) > 0 && (isCertain || slices.ContainsFunc(c.queue, change.isLike)):
		return c.queue[len(c.queue)-1], true, nil
	}
	if planErr == nil && !step.StartsUpdate && step.Done && equalStatuses(before, step.Next) {
		for i, e := range slices.Backward(c.queue) {
			merged, ok := e.Change.merge(change)
			isOrdered := change.Phase != "" || i == len(c.queue)-1 // a later report has an older Node
			if ok && isOrdered && (i > 0 || c.inFlight == "") {
				e.Change = merged
				return e, false, nil
			}
		}
	}
	if len(c.queue) >= maxQueue && change.Phase != "" {
		return nil, false, ErrFull
	}
	e = &Entry{Change: change, Settled: make(chan struct{})}
	c.queue = append(c.queue, e)
	return e, false, nil
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
	change := Change{Node: c.latest}
	change.Time = now
	if e, isRepeat, _ := c.Submit(change); e != nil && !isRepeat {
		e.Abandoned = true
	}
}

// isLike reports whether an entry has the same change, possibly with other texts.
func (c Change) isLike(e *Entry) bool {
	_, ok := e.Change.merge(c)
	return ok
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
		decided := e.start
		for step := (Step{}); !step.Done; s = step.Next {
			var err error
			if step, err = e.Change.Plan(s, decided); err != nil {
				break
			}
			decided = decided.after(step)
			if step.SyncsSpec && !e.Change.Node.ConditionsOnly {
				step.Next = step.Next.Sync(e.Change.Node)
			}
		}
	}
	return s
}

// after returns the decision about the start of an update after a write.
func (s start) after(step Step) start {
	switch {
	case step.OnlyResets:
		return starting
	case step.StartsUpdate:
		return started
	default:
		return s
	}
}

// Entries returns the pending entries in their order.
func (c *Core) Entries() []*Entry { return slices.Clone(c.queue) }

// TakeSettled returns the entries that were settled since the last call.
func (c *Core) TakeSettled() []*Entry {
	settled := c.settled
	c.settled = nil
	return settled
}

// settle removes the head from the queue. err is the error of a rejected change, otherwise nil.
func (c *Core) settle(err error) {
	e := c.queue[0]
	c.queue = c.queue[1:]
	e.IsSettled = true
	e.Err = err
	c.settled = append(c.settled, e)
	if err != nil {
		c.followed = Versions{}
	}
}

// Next returns the next request, or false if no request is needed. The caller must pass the result
// to Done before it calls Next again.
func (c *Core) Next() (Request, bool) {
	for len(c.queue) > 0 {
		if r := c.next(c.queue[0]); r.Verb != "" {
			c.inFlight = r.Verb
			return r, true
		}
	}
	return Request{}, false
}

// next returns the next request for the head of the queue. It returns the zero Request if it has changed
// the queue or the situation.
func (c *Core) next(head *Entry) Request {
	node := head.Change.Node
	if c.situation == Unread || c.situation == Stale {
		return Request{Verb: Get, Node: node}
	}
	step, err := head.Change.Plan(c.object.State, head.start)
	syncsSpec := step.SyncsSpec && !head.specDone && !c.object.InSync(c.latest)
	isNoop := err == nil && step.Done && step.Next.Equal(c.object.State) && !syncsSpec
	switch {
	case c.situation == Missing && !node.ConditionsOnly && (isNoop || err != nil):
		c.settle(err)
	case c.situation == Missing:
		return Request{Verb: Create, Node: c.latest}
	case err != nil && !c.verified, isNoop && !node.Equal(c.node):
		c.situation = Stale
	case errors.Is(err, ErrNotStarted) && !node.Equal(c.latest):
		head.Change.Node = c.latest // the Node may no longer need the update
	case errors.Is(err, ErrNotStarted):
		return Request{Verb: Wait, Node: node}
	case err != nil || isNoop:
		c.settle(err)
	case syncsSpec:
		if step.StartsUpdate {
			head.start = starting
		}
		return Request{Verb: PatchSpec, Base: c.object, Next: c.object.Sync(c.latest), Node: c.latest}
	default:
		return Request{Verb: PatchStatus, Base: c.object, Next: step.Next, Node: node, step: step}
	}
	return Request{}
}

// Done records the result of the request that Next returned. The Verdict says how to continue.
func (c *Core) Done(r Request, result Result) Verdict {
	c.inFlight = ""
	isWrite := r.Verb != Get
	switch result.Outcome {
	case apierr.OK:
		c.node = r.Node
		c.record(result.Object)
		switch r.Verb {
		case PatchStatus:
			c.queue[0].start = c.queue[0].start.after(r.step)
		case PatchSpec:
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
			c.listed = false
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
	case apierr.Denied, apierr.NoCRD:
		if r.Verb == Create || r.Verb == Wait { // another process may write the object next
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
func (c *Core) record(o Object) {
	if o.UID != c.object.UID {
		c.listed = false
	}
	c.object = o
	c.situation = Fresh
	c.verified = true
}
