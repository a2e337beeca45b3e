package progress

import (
	"cmp"
	"slices"
	"time"
)

// minDone is how many durations must be known before Remaining is known.
const minDone = 3

// rollout computes a Pool.
type rollout struct {
	Pool
	now    time.Time
	limits Limits
	whole  []time.Duration // durations of updates to the target
}

// add adds the nodes of the pool, and sets the fields that depend on them.
func (r *rollout) add(nodes []Node) {
	r.Nodes = make([]Node, 0, len(nodes))
	for _, n := range nodes {
		n = r.inPool(n)
		isSample := n.State == Done && !n.isNew && !n.Requested.IsZero() && n.Completed.After(n.Requested)
		if isSample {
			r.whole = append(r.whole, n.Completed.Sub(n.Requested))
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
	slices.Sort(r.whole)
	r.Typical = median(r.whole)
	if r.Known {
		r.setPlaces()
		r.setRemaining()
	}
}

// setDegradedSince uses the time of the pool's NodeDegraded if only one node is degraded and has a
// later time: some daemons change the time of NodeDegraded at each attempt.
func (r *rollout) setDegradedSince() {
	isDegraded := func(n Node) bool { return n.Degraded }
	i := slices.IndexFunc(r.Nodes, isDegraded)
	if i >= 0 && !slices.ContainsFunc(r.Nodes[i+1:], isDegraded) {
		r.Nodes[i].DegradedSince = earlier(r.Nodes[i].DegradedSince, r.degradedSince)
	}
}

// inPool returns the node with its state in the pool.
func (r *rollout) inPool(n Node) Node {
	switch {
	case n.Degraded:
		n.State = Stuck
	case n.State == Done && !r.Known:
		n.State = Idle
	case n.State == Done && (r.Target.Config == "" || n.Desired != r.Target || n.Current != r.Target):
		n.State = Waiting
	}
	return n
}

// setProgress sets how long a node has been degraded or at its step, and whether it is slow or
// stuck.
func (r *rollout) setProgress(n *Node) {
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
		n.Slow = n.Failing || n.For > r.limits.of(n.Step)/slowPart
	}
}

// setPlaces sets Unavailable, Full and Blocked: see Pools.
func (r *rollout) setPlaces() {
	known := r.UnavailableNodes()
	r.Unavailable = max(r.Unavailable, len(known))
	if r.Waiting == 0 || r.Paused || r.Unavailable < r.MaxUnavailable {
		return
	}
	resting := r.Unavailable - r.Updating
	r.Full = resting > 0
	r.Blocked = r.Updating == 0 || resting >= r.MaxUnavailable
}

// setRemaining sets the estimated time until all nodes are done: the rest of the running updates,
// then one Typical for each round of waiting nodes.
func (r *rollout) setRemaining() {
	isSlow := slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Slow })
	isOver := r.Waiting+r.Updating == 0 && r.Unreported > 0
	if r.Paused || r.Stuck > 0 || r.Blocked || isSlow || isOver || len(r.whole) < minDone {
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
	if r.Typical > maxDuration/(rounds+1) {
		return
	}
	left += rounds * r.Typical
	r.Remaining = &left
}
