package progress

import (
	"cmp"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	defaultFloor   = 10 * time.Minute
	defaultReboot  = 30 * time.Minute
	defaultFactor  = 3
	defaultSamples = 3
)

func (l Limits) withDefaults() Limits {
	if l.Floor <= 0 {
		l.Floor = defaultFloor
	}
	if l.Reboot <= 0 {
		l.Reboot = defaultReboot
	}
	if !(l.Factor > 0) { // NaN too
		l.Factor = defaultFactor
	}
	if l.Samples <= 0 {
		l.Samples = defaultSamples
	}
	return l
}

// of returns how long a step may take, given its median on this number of nodes.
func (l Limits) of(step phases.Phase, typical time.Duration, samples int) time.Duration {
	limit := l.Floor
	if step == phases.RebootedNode {
		limit = max(limit, l.Reboot)
	}
	if samples >= l.Samples {
		if scaled := l.Factor * float64(typical); scaled < float64(maxDuration) {
			return max(limit, time.Duration(scaled))
		}
		return maxDuration
	}
	return limit
}

// stuck returns the stuck nodes, the longest first.
func (r *rollout) stuck() []Stuck {
	var all []Stuck
	for _, n := range r.pool.Nodes {
		if n.State != Updating && n.State != Ordered {
			continue
		}
		s := Stuck{Node: n}
		if n.State == Updating {
			s.Typical, s.Samples = r.typical[n.Step], len(r.steps[n.Step])
		}
		if !n.Since.IsZero() {
			s.For = since(n.Since, r.now)
		}
		if n.IsDegraded() {
			if s.For = 0; !n.Degraded.IsZero() {
				s.For = since(n.Degraded, r.now)
			}
		} else if n.Step == "" || s.For <= r.limits.of(n.Step, s.Typical, s.Samples) {
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Stuck) int { return cmp.Compare(b.For, a.For) })
	return all
}
