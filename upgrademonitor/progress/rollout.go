package progress

import (
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

// minFinished is how many nodes must have finished before Left is known.
const minFinished = 3

// rollout computes a Pool.
type rollout struct {
	pool    Pool
	known   bool // the MachineConfigPool exists
	history *History
	now     time.Time
	limits  Limits
	steps   map[phases.Phase][]time.Duration // durations by step
	typical map[phases.Phase]time.Duration   // their medians
	whole   []time.Duration                  // durations of whole updates
}

// add adds the nodes of the pool, and the durations of their steps.
func (r *rollout) add(nodes []Node) {
	r.steps = map[phases.Phase][]time.Duration{}
	all := make([]Node, 0, len(nodes))
	for _, n := range nodes {
		n = r.inPool(n)
		r.addSamples(n)
		all = append(all, n)
	}
	slices.SortFunc(all, compareNodes)
	r.typical = map[phases.Phase]time.Duration{}
	for p, durations := range r.steps {
		r.typical[p] = median(durations)
	}
	for i := range all {
		all[i] = r.grade(all[i])
		*r.count(all[i].State)++
	}
	r.pool.Nodes = all
}

// inPool returns the node with its state in the pool.
func (r *rollout) inPool(n Node) Node {
	n.Message = r.history.message(n)
	n.Degraded = r.history.degradedSince(n)
	if n.IsDegraded() {
		n.State = Stuck
	}
	if n.State == Done && r.known && (r.pool.Target.Config == "" || n.Desired != r.pool.Target || n.Current != r.pool.Target) {
		n.State = Waiting
		n.Steps = slices.Clone(n.Steps)
		for i := range n.Steps {
			n.Steps[i] = Step{Phase: n.Steps[i].Phase, State: ToDo}
		}
		if len(n.Steps) > 0 {
			n.Step = n.Steps[0].Phase
		}
	}
	return n
}

func (r *rollout) count(s State) *int {
	switch s {
	case Done:
		return &r.pool.Done
	case Updating:
		return &r.pool.Updating
	case Stuck:
		return &r.pool.Stuck
	case Waiting:
		return &r.pool.Waiting
	default:
		return &r.pool.Unreported
	}
}

// addSamples adds the durations of the node's update to the pool's target.
func (r *rollout) addSamples(n Node) {
	if r.known && n.Desired != r.pool.Target {
		return
	}
	switch n.State {
	case Updating, Stuck:
		if n.Begun.IsZero() {
			return
		}
		for _, s := range n.Steps {
			if !s.End.IsZero() {
				r.steps[s.Phase] = append(r.steps[s.Phase], s.Duration)
			}
		}
	case Done:
		for _, span := range r.history.steps(n) {
			r.steps[span.Phase] = append(r.steps[span.Phase], since(span.From, span.To))
		}
		if duration := r.history.updateDuration(n); duration > 0 {
			r.whole = append(r.whole, duration)
		}
	}
}

// estimate sets the fields that depend on all nodes.
func (r *rollout) estimate() {
	p := &r.pool
	p.Typical = median(r.whole)
	if !r.known {
		return
	}
	p.Blocked = p.Waiting > 0 && p.Stuck >= p.MaxUnavailable
	moving := p.Waiting + p.Updating
	if p.Paused || len(r.whole) < minFinished || moving == 0 && p.Stuck+p.Unreported > 0 {
		return
	}
	if left, ok := left(r.remaining(), p.Waiting, p.MaxUnavailable-p.Stuck, p.Typical); ok {
		p.Remaining = &left
	}
}
