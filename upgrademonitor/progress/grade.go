package progress

import (
	"cmp"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	defaultDrainLimit = time.Hour // when machine-config-operator itself raises an alarm
	defaultLimit      = 30 * time.Minute

	slowAfter  = 10 * time.Minute
	slowFactor = 3 // times the median
	minSamples = 3
)

// Limits tells how long a step may take before its node is stuck.
type Limits struct {
	// StuckAfter is the limit of every step. The default is one hour for a drain, 30 minutes for
	// any other step; a value that is not positive stands for it.
	StuckAfter time.Duration
}

func (l Limits) of(step phases.Phase) time.Duration {
	switch {
	case l.StuckAfter > 0:
		return l.StuckAfter
	case step == phases.Drained:
		return defaultDrainLimit
	}
	return defaultLimit
}

// grade returns a node of the pool with how long it has been at its step, and whether that is slow or
// stuck.
func (r *rollout) grade(n Node) Node {
	if n.State != Updating && n.State != Stuck {
		return n
	}
	if !n.NotBegun {
		n.Typical, n.Samples = r.typical[n.Step], len(r.steps[n.Step])
	}
	from := n.Since
	if n.IsDegraded() {
		from = n.Degraded
	}
	if !from.IsZero() {
		n.For = since(from, r.now)
	}
	switch {
	case n.IsDegraded() || n.Step == "":
	case n.For > r.limits.of(n.Step):
		n.State = Stuck
	case n.Samples >= minSamples && n.For > slowAfter:
		n.Slow = n.For/slowFactor > n.Typical
	}
	return n
}

// StuckNodes returns the nodes that are stuck: the degraded ones first, then the longest.
func (p Pool) StuckNodes() []Node {
	stuck := slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return n.State != Stuck })
	slices.SortStableFunc(stuck, func(a, b Node) int {
		return cmp.Or(compareBools(b.IsDegraded(), a.IsDegraded()), cmp.Compare(b.For, a.For), cmp.Compare(a.Name, b.Name))
	})
	return stuck
}
