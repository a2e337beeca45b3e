package cluster

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// maySelect reports whether the controller may select a node next. A waiting node that takes a place itself does not wait
// for the controller.
func (c *calculation) maySelect(n Node) bool { return n.State == Waiting && c.Places(n) == 0 }

// areKnown reports whether all nodes of the pool and their Nodes are known.
func (c *calculation) areKnown() bool {
	isUnknown := func(n Node) bool { return n.kube == nil }
	return c.Missing == 0 && !slices.ContainsFunc(c.Nodes, isUnknown)
}

// isBehind reports whether a node was deleted, moved or uncordoned, and the controller has not looked at it yet. It compares
// the nodes with the status of the pool, so setUnavailable has to come later.
func (c *calculation) isBehind() bool {
	differs := c.machines != len(c.Nodes) || c.updated > c.Done || c.Unavailable > len(c.UnavailableNodes())
	return c.areKnown() && differs && slices.ContainsFunc(c.Nodes, c.maySelect)
}

// setUnavailable sets Unavailable and Taken.
func (c *calculation) setUnavailable() {
	known := len(c.UnavailableNodes())
	if c.areKnown() {
		c.Unavailable = known // the status of the pool may be out of date
	}
	c.Unavailable = max(c.Unavailable, known)
	c.Taken = c.Unavailable - known
	for _, n := range c.Nodes {
		c.Taken += c.Places(n)
	}
}

// setHeld says what holds back the waiting nodes: it sets Full, Blocked, Unobserved, Stalled and StalledSince.
func (c *calculation) setHeld(isBehind bool) {
	switch {
	case c.Waiting == 0 || c.Paused:
	case c.Taken >= c.MaxUnavailable && c.InvalidLimit == "": // without a limit, there are no places
		resting := c.Taken // the places of nodes that do not update
		for _, n := range c.Nodes {
			if n.State == Updating {
				resting -= c.Places(n)
			}
		}
		c.Blocked = resting >= c.MaxUnavailable
		// If each waiting node takes a place itself, only the updates hold it back.
		c.Full = c.Blocked || resting > 0 && slices.ContainsFunc(c.Nodes, c.maySelect)
	case c.Updating > 0 && c.InvalidLimit == "" || c.Build != nil || len(c.Problems) > 0 || c.Partial:
	case !c.Observed:
		if c.now.Sub(c.toObserve) >= standstill {
			c.Unobserved = &PoolCondition{Type: "Unobserved", Since: c.toObserve, Message: "target"}
		}
	default:
		since := c.placeFree()
		// If both times are unknown, the time may be earlier than the new target of the pool.
		if !mco.Latest(c.notUpdated.Since, c.TargetSet).IsZero() {
			c.StalledSince = since
		}
		isLong := c.now.Sub(since) >= standstill
		c.Stalled = isLong && !isBehind
		if isLong && isBehind {
			c.Unobserved = &PoolCondition{Type: "Unobserved", Message: "nodes"}
		}
	}
}

// placeFree returns the last known time of a change that may have freed a place: the end of an update, a change of
// the pool, such as of paused or of maxUnavailable, or the recovery of a Node. Nobody knows when a Node was uncordoned.
func (c *calculation) placeFree() time.Time {
	since := mco.Latest(c.last, c.written, c.begun)
	for _, n := range c.Nodes {
		since = mco.Latest(since, n.Recovered)
	}
	return since
}

// setNotUpdated sets NotUpdated if all nodes are Done, but the pool is not Updated.
func (c *calculation) setNotUpdated() {
	if c.Updated || c.Done < c.Total() || c.Build != nil || len(c.Problems) > 0 || c.Partial {
		return
	}
	c.NotUpdated = &PoolCondition{c.notUpdated.Type, c.last, c.notUpdated.Message}
}

// setRemaining estimates Remaining: the time until the running updates complete, plus Typical for
// each group of waiting nodes that are updated at the same time.
func (c *calculation) setRemaining() {
	isHeld := func(n Node) bool { return n.Slow || n.State == Waiting && !n.IsAvailable() }
	isOver := c.Waiting+c.Updating == 0 && c.Unreported > 0
	isUnknown := c.Paused || c.Stuck > 0 || c.Blocked || c.Stalled || c.Partial || isOver || len(c.durations) < MinDone
	if isUnknown || slices.ContainsFunc(c.Nodes, isHeld) {
		return
	}
	var left time.Duration
	for _, n := range c.NodesIn(Updating) {
		left = max(left, c.Typical-max(0, c.now.Sub(cmp.Or(n.Begin(), c.now))))
	}
	places := max(1, c.MaxUnavailable-(c.Taken-c.Updating))
	rounds := time.Duration((c.Waiting + places - 1) / places)
	if c.Typical > math.MaxInt64/(rounds+1) { // the sum would overflow
		return
	}
	left += rounds * c.Typical
	c.Remaining = &left
}
