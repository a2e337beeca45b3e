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
	pool    *Pool
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
	r.pool.Nodes = make([]Node, 0, len(nodes))
	for _, n := range nodes {
		n = r.inPool(n)
		*r.count(n.State)++
		r.addSamples(n)
		r.pool.Nodes = append(r.pool.Nodes, n)
	}
	slices.SortFunc(r.pool.Nodes, compareNodes)
	r.typical = map[phases.Phase]time.Duration{}
	for p, took := range r.steps {
		r.typical[p] = median(took)
	}
}

// inPool returns the node with its state in the pool.
func (r *rollout) inPool(n Node) Node {
	n.Why = r.history.why(n)
	n.Degraded = r.history.degradedSince(n)
	if n.State == Done && r.known && (r.pool.Target == "" || n.Desired != r.pool.Target || n.Current != r.pool.Target) {
		n.State = Waiting
		n.Steps = slices.Clone(n.Steps)
		for i := range n.Steps {
			n.Steps[i] = Step{Phase: n.Steps[i].Phase, Mark: ToDo}
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
	case Ordered:
		return &r.pool.Ordered
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
	case Updating:
		if n.Begun.IsZero() {
			return
		}
		for _, s := range n.Steps {
			if !s.End.IsZero() {
				r.steps[s.Phase] = append(r.steps[s.Phase], s.Took)
			}
		}
	case Done:
		for _, span := range r.history.steps(n) {
			r.steps[span.Phase] = append(r.steps[span.Phase], since(span.From, span.To))
		}
		if took := r.history.took(n); took > 0 {
			r.whole = append(r.whole, took)
		}
	}
}

// judge sets the fields that depend on all nodes.
func (r *rollout) judge() {
	p := r.pool
	p.Stuck = r.stuck()
	p.Typical = median(r.whole)
	if !r.known {
		return
	}
	p.Blocked = p.Waiting > 0 && len(p.Stuck) >= p.MaxUnavailable
	if p.Paused || len(r.whole) < minFinished || p.Unreported+p.Missing > 0 && p.Waiting+p.Ordered+p.Updating == 0 {
		return
	}
	p.Left, p.LeftKnown = left(r.remaining(), p.Waiting, p.MaxUnavailable-len(p.Stuck), p.Typical)
	if len(p.Stuck) > 0 && p.Waiting+p.Ordered+p.Updating == len(p.Stuck) {
		p.Left, p.LeftKnown = 0, false
	}
}
