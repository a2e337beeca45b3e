package cluster

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

// minDone is the minimum number of known durations for an estimate of Remaining.
const minDone = 3

// Limits has the time that a step may take before its node is Stuck.
type Limits struct {
	// StuckAfter is the limit of every step. If StuckAfter is not positive, the limit is one hour
	// for a drain, and 30 minutes for any other step.
	StuckAfter time.Duration
}

func (l Limits) of(step phases.Phase) time.Duration {
	switch {
	case l.StuckAfter > 0:
		return l.StuckAfter
	case step == phases.Drained:
		return time.Hour // machine-config-operator's alert on failed drains has the same limit
	}
	return 30 * time.Minute
}

// calculation computes a Pool.
type calculation struct {
	Pool
	now       time.Time
	limits    Limits
	durations []time.Duration // the durations of the completed updates to the target
}

// add adds the nodes of the pool, and sets the fields that depend on the nodes.
func (r *calculation) add(nodes []Node) {
	r.Nodes = make([]Node, 0, len(nodes))
	for _, n := range nodes {
		n = r.inPool(n)
		if n.State == Done && !n.isNew && !n.Requested.IsZero() && n.Completed.After(n.Requested) {
			r.durations = append(r.durations, n.Completed.Sub(n.Requested))
		}
		r.Nodes = append(r.Nodes, n)
	}
	slices.SortFunc(r.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	r.setDegradedSince()
	count := map[State]int{}
	for i := range r.Nodes {
		r.setProgress(&r.Nodes[i])
		count[r.Nodes[i].State]++
	}
	if !r.FromStatus {
		r.Done, r.Updating, r.Stuck, r.Waiting, r.Idle = count[Done], count[Updating], count[Stuck], count[Waiting], count[Idle]
		r.Unreported = count[Unreported] + r.Missing
	}
	slices.Sort(r.durations)
	r.Typical = median(r.durations)
	if r.Known {
		r.setUnavailable()
		r.setRemaining()
	}
}

// setDegradedSince corrects DegradedSince if only one node is degraded: it uses the time of the
// pool's condition NodeDegraded if that time is earlier. The time in the MachineConfigNode may be
// too late, because some daemons change it at each retry.
func (r *calculation) setDegradedSince() {
	isDegraded := func(n Node) bool { return n.Degraded }
	i := slices.IndexFunc(r.Nodes, isDegraded)
	if i >= 0 && !slices.ContainsFunc(r.Nodes[i+1:], isDegraded) {
		r.Nodes[i].DegradedSince = earlier(r.Nodes[i].DegradedSince, r.degradedSince)
	}
}

// inPool returns the node with the state that it has in this pool.
func (r *calculation) inPool(n Node) Node {
	switch {
	case n.Degraded:
		n.State = Stuck
	case n.InUpdate():
		n.State = Updating
	case !n.Reported:
		n.State = Unreported
	case !r.Known:
		n.State = Idle
	case r.Target.Config == "" || n.Desired != r.Target || n.Current != r.Target:
		n.State = Waiting
	default:
		n.State = Done
	}
	return n
}

// setProgress sets For and Slow, and whether the node is Stuck.
func (r *calculation) setProgress(n *Node) {
	if n.State != Updating && n.State != Stuck {
		return
	}
	from := n.Since
	if n.Degraded {
		from = n.DegradedSince
	}
	if !from.IsZero() {
		n.For = since(from, r.now)
	}
	switch {
	case n.Degraded || n.Step == "":
	case n.For > r.limits.of(n.Step):
		n.State = Stuck
	default:
		n.Slow = n.Failing || n.For > r.limits.of(n.Step)/3
	}
}

// setUnavailable sets Unavailable, Full and Blocked.
func (r *calculation) setUnavailable() {
	r.Unavailable = max(r.Unavailable, len(r.UnavailableNodes()))
	if r.Waiting == 0 || r.Paused || r.Unavailable < r.MaxUnavailable {
		return
	}
	resting := r.Unavailable - r.Updating
	r.Full = resting > 0
	r.Blocked = r.Updating == 0 || resting >= r.MaxUnavailable
}

// setRemaining estimates Remaining: the time until the running updates complete, plus Typical for
// each group of waiting nodes that are updated at the same time.
func (r *calculation) setRemaining() {
	isSlow := slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Slow })
	isOver := r.Waiting+r.Updating == 0 && r.Unreported > 0
	if r.Paused || r.Stuck > 0 || r.Blocked || isSlow || isOver || len(r.durations) < minDone {
		return
	}
	var left time.Duration
	for _, n := range r.Nodes {
		if n.State == Updating {
			left = max(left, r.Typical-since(cmp.Or(earlier(n.Requested, n.Started), r.now), r.now))
		}
	}
	places := max(1, r.MaxUnavailable-(r.Unavailable-r.Updating))
	rounds := time.Duration((r.Waiting + places - 1) / places)
	if r.Typical > math.MaxInt64/(rounds+1) { // the sum would overflow
		return
	}
	left += rounds * r.Typical
	r.Remaining = &left
}

// since returns the duration between two times, or zero if they are out of order.
func since(from, to time.Time) time.Duration {
	return max(0, to.Sub(from))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earlier returns the earlier of two times. It ignores a zero time.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// median returns the median of sorted durations, or zero for an empty list.
func median(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
