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
	// object is the known object: the last version that was read or written, or a newer version
	// from the Lister. Invariant: it is zero if the situation is Unread or Missing.
	object Object
	node   plan.Node // the Node of the last request that succeeded
	// listed is set if the Lister has returned the known object, in any version. isListedCurrent is
	// also set if the last version from the Lister is not older than the known version.
	listed, isListedCurrent bool
	// unconfirmed is set if the known object may be outdated: the last response of the API server is
	// too old, and no Lister has returned the current version.
	unconfirmed bool
	// verified is set if the object was read or written after the last change was submitted. A change
	// is rejected only if verified is set, because another process may have made the change valid
	// after an earlier read.
	verified bool
	// deleted is set if the known object has disappeared. Then the object is read, and created again
	// if it does not exist, even if no change is pending. A controller does not set deleted.
	deleted bool
	// inFlight is the verb of the request between Next and Done, otherwise "". During a request,
	// See ignores the Lister, because the Lister may already show the effect of the request.
	inFlight Verb

	queue []*Entry
	// tail caches the result of predicted. Invariant: it is nil or up to date.
	tail    *plan.State
	settled []*Entry // the entries that were settled since the last TakeSettled

	latest   plan.Node     // the Node in the latest view
	followed plan.Versions // the last configs and images that were submitted, or that needed no write

	// specPending is set if the spec may differ from latest, so that a write is pending. specEntry
	// is the entry that SubmitSpec has returned, until it is settled. If specPending is false,
	// specEntry is nil.
	specPending bool
	specEntry   *Entry
}

// View has the Node and the object in the Lister, read at the same moment.
type View struct {
	Node plan.Node
	// Lists is false if the Core must ignore the Lister, for example because the Lister has failed.
	// Listed is the object in the Lister, or nil if the Lister does not have the object.
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
	case c.inFlight != "" || !v.Lists:
	case v.Listed != nil && v.Listed.UID == c.object.UID:
		c.recordListed(*v.Listed)
	case c.listed: // the object was deleted, and perhaps created again
		c.situation = Stale
		c.forgetListed()
		c.deleted = v.Listed == nil && !v.Node.ConditionsOnly
	}
	c.unconfirmed = v.Expired && (!v.Lists || !c.isListedCurrent)
}

// forgetListed records that no Lister has returned the known object.
func (c *Core) forgetListed() {
	c.listed = false
	c.isListedCurrent = false
}

// recordListed records the version of the known object that the Lister returned.
func (c *Core) recordListed(o Object) {
	order, err := resourceversion.CompareResourceVersion(o.ResourceVersion, c.object.ResourceVersion)
	c.listed = true
	c.isListedCurrent = err == nil && order >= 0
	switch {
	case order <= 0: // not newer, or not comparable
	case c.situation == Fresh:
		o.Target = c.object.Target
		c.know(o)
	default:
		c.situation = Stale
	}
}

// know makes a version the known object.
func (c *Core) know(o Object) {
	o.State = o.Pin()
	c.object = o
	c.tail = nil
}

// Submit adds a change to the queue, and returns its entry. The error is ErrFull or nil. For the rules,
// see repeat.txt, refusal.txt, queue.txt and queue_full.txt in testdata.
//
//  1. If the object already has the requested state, the entry is nil.
//  2. If the object will have the requested state after the pending changes, repeat is true, and
//     the entry is the last entry of the queue. The caller waits until this entry is settled, and
//     submits the change again.
func (c *Core) Submit(change plan.Change) (e *Entry, repeat bool, err error) {
	c.verified = false
	before := c.predicted()
	p, planErr := change.Plan(before)
	if planErr == nil && len(p.States) == 0 && c.situation != Unread {
		isCertain := c.situation != Stale && change.View().Equal(c.node)
		switch {
		case isCertain && c.situation == Fresh && c.isApplied(change):
			if !c.unconfirmed {
				return nil, false, nil
			}
			c.situation = Stale
		case len(c.queue) > 0 && (isCertain || c.isPending(change)):
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

// isApplied reports whether the known object already has the requested state. Submit has checked
// before that the object has this state after all pending changes.
func (c *Core) isApplied(change plan.Change) bool {
	if len(c.queue) == 0 {
		return true // the caller has checked the known object
	}
	p, err := change.Plan(c.object.State)
	return err == nil && len(p.States) == 0
}

// Follow queues a NodeChange with the configs and images of the Node in the latest view: see look.txt.
// It does nothing if they were already submitted, if they do not change the status, or if no object is
// known.
func (c *Core) Follow(now metav1.Time) {
	if c.object.UID == "" || c.latest.ConditionsOnly || c.latest.Versions == c.followed {
		return
	}
	change := plan.NodeChange{Node: c.latest, Time: now}
	if p, _ := change.Plan(c.predicted()); len(p.States) == 0 {
		c.followed = c.latest.Versions
		return
	}
	_, _, _ = c.Submit(change)
}

// SubmitSpec requests a write of the spec and the owner references: see spec.txt. If they already match
// the Node, the entry is nil. Otherwise the entry is settled when they match the Node, or when a write
// has failed.
func (c *Core) SubmitSpec() *Entry {
	if c.unconfirmed {
		c.situation = Stale
	}
	inSync := c.situation == Fresh && c.inFlight != PatchSpec && c.object.InSync(c.latest)
	c.specPending = c.specPending || !inSync
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
func (c *Core) SpecPending() bool { return c.specPending }
