package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Moves returns the changes between two views of the pools, in the order of the pools and nodes in
// the second one.
func Moves(before, after []progress.Pool, now time.Time) []Move {
	var all []Move
	for _, p := range after {
		d := difference{now: now, pool: p}
		i := slices.IndexFunc(before, func(b progress.Pool) bool { return b.Name == p.Name })
		if i >= 0 {
			d.before = before[i]
			d.poolMoves()
		} else {
			d.found()
		}
		d.problemMoves()
		d.stuckMoves()
		if IsBlocked(p) && !IsBlocked(d.before) {
			d.add("PoolBlocked", "", fmt.Sprintf("blocked, stuck nodes take all of maxUnavailable (%d)", p.MaxUnavailable))
		}
		if i >= 0 && p.IsDone() && !d.before.IsDone() {
			d.add("PoolDone", "", "done")
		}
		all = append(all, d.moves...)
	}
	for _, p := range before {
		if !slices.ContainsFunc(after, func(a progress.Pool) bool { return a.Name == p.Name }) {
			d := difference{now: now, pool: p}
			d.add("PoolDeleted", "", "deleted")
			all = append(all, d.moves...)
		}
	}
	return all
}

// difference collects the moves of a pool between two views.
type difference struct {
	now          time.Time
	before, pool progress.Pool
	moves        []Move
}

func (d *difference) add(kind, node, text string) *Move {
	d.moves = append(d.moves, Move{
		Time: d.now.UTC(), zone: d.now.Location(), Kind: kind, Node: node, text: text,
		Pool: d.pool.Name, Target: d.pool.Target, Done: d.pool.Done, Nodes: d.pool.Total(),
	})
	return &d.moves[len(d.moves)-1]
}

// found adds the move of a pool that is observed for the first time.
func (d *difference) found() {
	p := d.pool
	var parts []string
	if p.Target.Config != "" {
		parts = append(parts, "target "+TargetText(p.Name, p.Target))
	}
	counts := p
	counts.Done = 0
	parts = append(parts, stateCounts(counts)...)
	if p.Paused {
		parts = append(parts, "paused")
	}
	d.add("PoolFound", "", strings.Join(parts, ", "))
}

func (d *difference) poolMoves() {
	before, after := d.before, d.pool
	if before.Target != after.Target {
		d.add("PoolTarget", "", "target "+TargetText(after.Name, after.Target))
	}
	switch {
	case after.Paused && !before.Paused:
		d.add("PoolPaused", "", "paused")
	case before.Paused && !after.Paused:
		d.add("PoolUnpaused", "", "unpaused")
	}
	was := map[string]progress.Node{}
	for _, n := range before.Nodes {
		was[n.Name] = n
	}
	for _, n := range after.Nodes {
		if old, ok := was[n.Name]; ok && old.UID == n.UID {
			d.nodeMoves(old, n)
			delete(was, n.Name)
		}
	}
	for _, n := range before.Nodes {
		if _, gone := was[n.Name]; gone {
			d.add("Deleted", n.Name, "deleted")
		}
	}
}

// nodeMoves adds the changes of a node of a pool.
func (d *difference) nodeMoves(before, after progress.Node) {
	changed := before.Desired != after.Desired
	switch {
	case after.State == progress.Done && before.State != progress.Done:
		from := after.Ordered
		if from.IsZero() {
			from = before.Begun
		}
		m := d.add("Done", after.Name, "done")
		if took := after.Ended.Sub(from); !from.IsZero() && took > 0 {
			m.took(took)
		}
	case after.NotBegun && (changed || !before.NotBegun):
		d.add("Ordered", after.Name, "is ordered to "+TargetText(d.pool.Name, after.Desired))
	case after.InUpdate() && !after.NotBegun && (changed || before.NotBegun || !before.InUpdate()):
		d.add("Begun", after.Name, "begun, "+Doing(after)).Next = after.Step
	case after.InUpdate() && before.Step != after.Step:
		d.stepMoves(before, after)
	}
}

// stepMoves adds a move for each finished step. The last one has the running step.
func (d *difference) stepMoves(before, after progress.Node) {
	var last *Move
	for _, s := range after.Steps {
		if s.State != progress.Finished || slices.ContainsFunc(before.Steps, func(b progress.Step) bool { return b.Phase == s.Phase && b.State == s.State }) {
			continue
		}
		last = d.add("StepDone", after.Name, stepName(s.Phase)+" done")
		last.Step = s.Phase
		if s.Duration > 0 {
			last.took(s.Duration)
		}
	}
	if last == nil {
		last = d.add("AtStep", after.Name, Doing(after))
	} else {
		last.text += ", " + Doing(after)
	}
	last.Next = after.Step
}

// problemMoves adds what has become wrong with a pool itself, and a build that has begun.
func (d *difference) problemMoves() {
	for _, c := range d.pool.Problems {
		if !slices.ContainsFunc(d.before.Problems, func(b progress.PoolCondition) bool { return b.Type == c.Type }) {
			d.add("PoolDegraded", "", clean(c.Type)).Message = c.Message
		}
	}
	if d.pool.Build != nil && d.before.Build == nil {
		d.add("PoolBuilding", "", "image is being built").Message = d.pool.Build.Message
	}
}

// stuckMoves adds the nodes that have become stuck since the last view, and those that are not
// stuck any more.
func (d *difference) stuckMoves() {
	was := map[string]progress.Node{}
	for _, n := range d.before.StuckNodes() {
		was[n.Name] = n
	}
	for _, n := range d.pool.StuckNodes() {
		if old, ok := was[n.Name]; !ok || old.UID != n.UID || old.IsDegraded() != n.IsDegraded() {
			m := d.add("Stuck", n.Name, "STUCK "+Reason(n, Options{Now: d.now}))
			m.Step, m.Seconds, m.Message = n.Step, int(n.For.Seconds()), n.Message
		}
	}
	for _, n := range d.pool.Nodes {
		if old, ok := was[n.Name]; ok && old.UID == n.UID && n.State != progress.Stuck && n.State != progress.Done {
			d.add("Recovered", n.Name, "no longer stuck, "+Doing(n))
		}
	}
}
