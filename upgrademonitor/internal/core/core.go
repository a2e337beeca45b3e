package core

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Core has the known state of one MachineConfigNode, and the pending changes. In a zero Core, the
// object was never read. A Core is not safe for concurrent use.
type Core struct {
	situation Situation
	// object is the last known version. Invariant: zero if the situation is Unread or Missing.
	object Object
	node   plan.Node // the Node when the object was last read or written
	// listed is set if the Lister has returned this object. compared is set if the version that it
	// returned last is not older than the known version. Invariant: compared implies listed.
	listed, compared bool
	// unconfirmed is set if the known object may be out of date, because the last response of the
	// API server is too old and no Lister has confirmed the object.
	unconfirmed bool
	// verified is set if the object was read or written after the last change was submitted. A
	// change is rejected only then, because another process may have written the object before.
	verified bool
	// deleted is set if the object has disappeared from the Lister. Then the object is read, and
	// created again if it does not exist, even if no change is pending.
	deleted bool
	// inFlight is the verb of the request between Next and Done, otherwise "". During a request,
	// See ignores the Lister, because the Lister may already show the effect of the request.
	inFlight Verb
	// sent is the state of a write whose response was lost. If the next read returns the same
	// status, the write succeeded. Then object gets sent.Target, which the API server does not store.
	sent *plan.State

	queue []*Entry
	// tail is the state after all changes in the queue. Invariant: it is nil or up to date.
	tail    *plan.State
	settled []*Entry // entries that were settled since the last TakeSettled

	latest    plan.Node     // the Node in the latest view
	followed  plan.Versions // the versions of the Node that were last submitted, or last needed no write
	spec      bool          // set if a write of the spec is pending; it is omitted if the object is in sync with latest
	specEntry *Entry        // the entry for callers of SubmitSpec. Invariant: nil if spec is not set
}

// View has the Node and the listed object, as this process sees them at one moment.
type View struct {
	Node plan.Node
	// Lists is set if there is a Lister that did not fail. Listed is the Lister's object, or nil.
	Lists  bool
	Listed *Object
	// Expired is set if the last response of the API server is too old to trust the known object.
	Expired bool
}

// See records a view. For the rules about the Lister, see lister.txt, deleted.txt, recreated.txt and
// expired.txt in testdata.
func (c *Core) See(v View) {
	c.latest = v.Node
	switch {
	case c.inFlight != "" || !v.Lists || c.situation == Unread:
	case v.Listed != nil && v.Listed.UID == c.object.UID:
		c.list(*v.Listed)
	case c.listed: // the object was deleted, and perhaps created again
		c.situation, c.listed, c.compared = Stale, false, false
		c.deleted = v.Listed == nil && !v.Node.ConditionsOnly
	}
	c.unconfirmed = v.Expired && (!v.Lists || !c.compared)
}

// list records the version of the known object that the Lister returned.
func (c *Core) list(o Object) {
	order, err := 0, error(nil)
	if o.ResourceVersion != c.object.ResourceVersion {
		order, err = resourceversion.CompareResourceVersion(o.ResourceVersion, c.object.ResourceVersion)
	}
	c.listed, c.compared = true, err == nil && order >= 0
	switch {
	case err != nil || order <= 0:
	case c.situation == Fresh:
		o.Target = c.object.Target
		o.State = o.Pin()
		c.object, c.tail = o, nil
	default:
		c.doubt()
	}
}

// doubt makes the object Stale. So the object is read before a change is rejected, and before a
// change is dropped because the object already has it.
func (c *Core) doubt() {
	if (c.situation == Fresh || c.situation == NoResponse) && c.inFlight == "" {
		c.situation = Stale
	}
}

// Submit adds a change to the queue, and returns its entry. The entry is nil if the object already has
// the requested state. If the pending changes lead to the requested state, the change is a repeat, and
// the entry is the last one of the queue: the caller waits for it, and submits the change again. The
// error is ErrFull or nil. For the rules, see repeat.txt, refusal.txt, queue.txt and queue_full.txt in
// testdata.
func (c *Core) Submit(change plan.Change) (e *Entry, repeat bool, err error) {
	c.verified = false
	before := c.predicted()
	p, planErr := change.Plan(before)
	if planErr == nil && len(p.States) == 0 && c.situation != Unread {
		isCertain := c.situation != Stale && change.View().Equal(c.node)
		switch {
		case isCertain && c.situation == Fresh && c.isTrue(change):
			c.followed = change.View().Versions
			if !c.unconfirmed {
				return nil, false, nil
			}
			c.doubt()
		case len(c.queue) > 0 && (isCertain || c.isPending(change)):
			c.followed = change.View().Versions
			return c.last(), true, nil
		}
	}
	queued := len(c.queue)
	e, err = c.enqueue(change, planErr != nil || p.ChangesStatus(before))
	if err != nil {
		return nil, false, err
	}
	if len(c.queue) > queued && len(p.States) > 0 {
		c.tail = &p.States[len(p.States)-1]
	}
	c.followed = change.View().Versions
	return e, false, nil
}

// isTrue reports whether the known object has the requested state. It ignores pending changes. It
// must be called only if a plan from the state after all pending changes has nothing to write.
func (c *Core) isTrue(change plan.Change) bool {
	if len(c.queue) == 0 {
		return true // without pending changes, the caller has planned from the known object
	}
	p, err := change.Plan(c.object.State)
	return err == nil && len(p.States) == 0
}

// Follow queues the Node's configs and images in the latest view as a NodeChange, unless they were
// already submitted, do not change the status, or no object is known: see look.txt.
func (c *Core) Follow(now metav1.Time) {
	if c.object.UID == "" || c.latest.ConditionsOnly || c.latest.Versions == c.followed {
		return
	}
	change := plan.NodeChange{Node: c.latest, Time: now}
	if p, err := change.Plan(c.predicted()); err != nil || len(p.States) == 0 {
		c.followed = c.latest.Versions
		return
	}
	if e, repeat, _ := c.Submit(change); e != nil && !repeat {
		e.Abandon()
	}
}

// SubmitSpec requests a write of the spec and the owner references: see spec.txt. The entry is settled
// when the object is in sync with the Node, or when the write has failed. The entry is nil if the
// object already is in sync.
func (c *Core) SubmitSpec() *Entry {
	if c.unconfirmed {
		c.doubt()
	}
	inSync := c.situation == Fresh && c.inFlight != PatchSpec && c.object.InSync(c.latest)
	c.spec = c.spec || !inSync
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
