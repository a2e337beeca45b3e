package progress

import (
	"fmt"
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
	count := map[State]int{}
	for i := range all {
		all[i] = r.grade(all[i])
		count[all[i].State]++
	}
	p := &r.pool
	p.Nodes, p.Done, p.Updating, p.Stuck, p.Waiting = all, count[Done], count[Updating], count[Stuck], count[Waiting]
	p.Unreported += count[Unreported]
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
	p.BlockedBy = p.blockedBy()
	p.Blocked = p.BlockedBy != ""
	moving := p.Waiting + p.Updating
	if p.Paused || p.Blocked || len(r.whole) < minFinished || moving == 0 && p.Stuck+p.Unreported > 0 {
		return
	}
	if left, ok := left(r.remaining(), p.Waiting, p.MaxUnavailable-p.Stuck, p.Typical); ok {
		p.Remaining = &left
	}
}

// blockedBy returns what the waiting nodes of a pool wait for, "" if they are about to be updated.
func (p *Pool) blockedBy() string {
	switch {
	case p.Waiting == 0 || p.Paused:
		return ""
	case p.Stuck >= p.MaxUnavailable:
		return nodesAre(p.Stuck, "stuck")
	case p.Updating == 0 && p.Unavailable >= p.MaxUnavailable:
		return nodesAre(p.Unavailable, "unavailable")
	}
	return ""
}

func nodesAre(n int, adjective string) string {
	if n == 1 {
		return "1 node is " + adjective
	}
	return fmt.Sprintf("%d nodes are %s", n, adjective)
}
