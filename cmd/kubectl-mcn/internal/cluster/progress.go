package cluster

import (
	"cmp"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	// MinDone is the minimum number of known durations for an estimate of Remaining.
	MinDone = 3
	// standstill is how long a pool may do nothing between two updates. machine-config-operator needs
	// some seconds to select the next node, and daemons may report the end of an update late.
	standstill = 2 * time.Minute
	// expiresSoon limits Pool.Certificates to the certificates that expire within this time.
	expiresSoon = 30 * 24 * time.Hour
)

// limitOf returns the time that a step may take before its node is Stuck. If the step is not known, it is
// the limit of the whole update. The time between the request and the start of an update counts as time
// at the first step.
func limitOf(step phases.Phase) time.Duration {
	switch step {
	case phases.Drained:
		return time.Hour // machine-config-operator's alert on failed drains has the same limit
	case "":
		return 90 * time.Minute
	}
	return 30 * time.Minute
}

// calculation computes a Pool.
type calculation struct {
	Pool
	now       time.Time
	last      time.Time       // the last known change: the end of an update, or the new target of the pool
	durations []time.Duration // the durations of the completed updates to the target
}

// add adds the nodes of the pool, which it changes, and sets the fields that depend on the nodes.
func (c *calculation) add(nodes []Node) {
	c.Nodes = nodes
	slices.SortFunc(c.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	c.last = mco.Latest(c.notUpdated.Since, c.TargetSet, c.toObserve)
	for _, n := range c.Nodes {
		c.last = mco.Latest(c.last, n.Completed, n.Ended)
	}
	c.setDegradedSince()
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.dropWithdrawn(c.Target)
		n.State = c.stateOf(*n)
		n.OffTarget = c.Known && n.InUpdate() && n.Towards().Config != c.Target.Config
		c.setProgress(n)
	}
	c.setCounts()
	if !c.IsBuilding() && c.Done+c.Updating+c.Stuck > 0 {
		c.Build = nil // at least one node has the image or applies it
	}
	if c.AwaitsImage() {
		c.Target.Image = "" // it is the image of the target before
	}
	c.setTypical()
	if c.Known {
		isBehind := c.isBehind()
		c.setUnavailable()
		c.setHeld(isBehind)
		c.setNotUpdated()
		c.setRemaining()
	}
	c.Certificates = slices.DeleteFunc(c.Certificates, func(x Certificate) bool { return x.Expires.Sub(c.now) > expiresSoon })
}

// setCounts sets Counts. Machines without a node are Done as far as the status of the pool says so.
func (c *calculation) setCounts() {
	if c.FromStatus {
		if c.isImageMissing() { // the status also counts machines without the image
			c.Done, c.Unreported = 0, c.Unreported+c.Done
		}
		return
	}
	count := map[State]int{}
	for _, n := range c.Nodes {
		count[n.State]++
	}
	c.Counts = Counts{count[Done], count[Updating], count[Stuck], count[Waiting], count[Idle], count[Unreported]}
	done, missing := max(0, min(c.Missing, c.updated-c.Done)), c.Missing
	switch {
	case c.Partial:
		done, missing = 0, 0
	case c.Updated:
		done = missing
	case c.isImageMissing():
		done = 0
	}
	c.Done, c.Unreported = c.Done+done, c.Unreported+missing-done
}

// setTypical sets Typical, the median of durations.
func (c *calculation) setTypical() {
	for _, n := range c.Nodes {
		if n.State == Done && !n.WasTakenBack && !n.Requested.IsZero() && n.Completed.After(n.Requested) {
			c.durations = append(c.durations, n.Completed.Sub(n.Requested))
		}
	}
	if all := c.durations; len(all) > 0 {
		slices.Sort(all)
		lower, upper := all[(len(all)-1)/2], all[len(all)/2]
		c.Typical = lower + (upper-lower)/2
	}
}

// setDegradedSince corrects DegradedSince of a node, because some daemons change this time at each
// retry. If the pool has exactly one degraded node, its DegradedSince becomes the time of the pool's
// condition NodeDegraded, unless this time is later, or before the node's last update.
func (c *calculation) setDegradedSince() {
	isDegraded := func(n Node) bool { return n.Degraded }
	i := slices.IndexFunc(c.Nodes, isDegraded)
	if i < 0 || c.DegradedSince.IsZero() || slices.ContainsFunc(c.Nodes[i+1:], isDegraded) {
		return
	}
	n := &c.Nodes[i]
	isBefore := n.DegradedSince.IsZero() || c.DegradedSince.Before(n.DegradedSince)
	if isBefore && !c.DegradedSince.Before(mco.Latest(n.Started, n.Completed)) {
		n.DegradedSince = c.DegradedSince
	}
}

// stateOf returns the state of a node in this pool, without regard to the time of its step: see
// setProgress.
func (c *calculation) stateOf(n Node) State {
	isUnreported := !n.Done && (!n.HasObject || !n.Is(progress.AnnotationsMissing))
	switch {
	case n.Degraded:
		return Stuck
	case n.InUpdate():
		return Updating
	case isUnreported && c.Updated && (n.Current.Config == "" || n.Current.Config == c.Target.Config):
		return Done // the condition Updated of the pool says so
	case isUnreported:
		return Unreported
	case !c.Known:
		return Idle
	case c.Target.Config == "" || n.Current != c.Target || c.lacksImage(n) || n.Is(progress.AnnotationsMissing):
		return Waiting
	}
	return Done
}

// lacksImage reports whether the node does not have the image that the pool waits for. If all nodes
// already show the image of the target, the time of the node's last update decides.
func (c *calculation) lacksImage(n Node) bool {
	if c.Build == nil || c.IsBuilding() {
		return c.isImageMissing()
	}
	hasOther := func(n Node) bool { return n.Current.Image != c.Target.Image }
	return !n.Completed.After(c.Build.Since) && !slices.ContainsFunc(c.Nodes, hasOther)
}

// setProgress sets For and Slow, and whether the node is Stuck. It resets IsLifted for the first minute.
func (c *calculation) setProgress(n *Node) {
	if n.State != Updating && n.State != Stuck {
		n.Slow = n.Failing
		return
	}
	from := n.Since
	if n.Degraded {
		from = n.DegradedSince
	}
	if !from.IsZero() {
		n.For = max(0, c.now.Sub(from))
	}
	// The Node and its MachineConfigNode are not read at the same moment.
	n.IsLifted = n.IsLifted && c.now.Sub(n.CordonedAt) >= time.Minute
	switch {
	case n.Degraded:
	case n.Since.IsZero(): // use the update's start or, if unknown, the pool's last change
		begin := cmp.Or(n.Started, c.last)
		n.Slow = n.Failing || !begin.IsZero() && c.now.Sub(begin) > limitOf(n.Step)/3
	case n.For > limitOf(n.Step):
		n.State = Stuck
	default:
		n.Slow = n.Failing || n.IsLifted || n.For > limitOf(n.Step)/3
	}
}
