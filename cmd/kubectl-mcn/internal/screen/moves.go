package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Move is one change in a rollout.
type Move struct {
	Node    string // "" for a move of the pool itself
	Message string // why a node is stuck, or what is wrong with a pool

	text string
}

// Text returns the move on one line: whole, or with a long message cut.
func (m Move) Text(whole bool) string {
	switch {
	case m.Message == "":
		return m.text
	case whole:
		return m.text + ": " + clean(m.Message)
	}
	return m.text + ": " + Clean(m.Message, MostMessage)
}

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
		if p.Blocked && !d.before.Blocked {
			d.add("", fmt.Sprintf("blocked, %s (maxUnavailable %d)", p.BlockedBy, p.MaxUnavailable))
		}
		if i >= 0 && p.IsDone() && !d.before.IsDone() {
			d.add("", "done")
		}
		all = append(all, d.moves...)
	}
	for _, p := range before {
		if !slices.ContainsFunc(after, func(a progress.Pool) bool { return a.Name == p.Name }) {
			d := difference{now: now, pool: p}
			d.add("", "deleted")
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

// add adds a move of a node, or of the pool itself.
func (d *difference) add(node, text string) *Move {
	if node != "" {
		text = clean(node) + " " + text
	}
	text = fmt.Sprintf("%s %s %d/%d %s", d.now.Format(time.TimeOnly), clean(d.pool.Name), d.pool.Done, d.pool.Total(), text)
	d.moves = append(d.moves, Move{Node: node, text: strings.TrimRight(text, " ")})
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
	d.add("", strings.Join(parts, ", "))
}

func (d *difference) poolMoves() {
	before, after := d.before, d.pool
	if before.Target != after.Target {
		d.add("", "target "+TargetText(after.Name, after.Target))
	}
	switch {
	case after.Paused && !before.Paused:
		d.add("", "paused")
	case before.Paused && !after.Paused:
		d.add("", "unpaused")
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
			d.add(n.Name, "deleted")
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
		text := "done"
		if !from.IsZero() && after.Ended.After(from) {
			text += " in " + took(after.Ended.Sub(from))
		}
		d.add(after.Name, text)
	case after.NotBegun && (changed || !before.NotBegun):
		d.add(after.Name, "is ordered to "+TargetText(d.pool.Name, after.Desired))
	case after.InUpdate() && !after.NotBegun && (changed || before.NotBegun || !before.InUpdate()):
		d.add(after.Name, "begun, "+Doing(after))
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
		text := stepName(s.Phase) + " done"
		if s.Duration > 0 {
			text += " in " + took(s.Duration)
		}
		last = d.add(after.Name, text)
	}
	if last == nil {
		d.add(after.Name, Doing(after))
	} else {
		last.text += ", " + Doing(after)
	}
}

// problemMoves adds what has become wrong with a pool itself, and a build that has begun.
func (d *difference) problemMoves() {
	for _, c := range d.pool.Problems {
		if !slices.ContainsFunc(d.before.Problems, func(b progress.PoolCondition) bool { return b.Type == c.Type }) {
			d.add("", clean(c.Type)).Message = c.Message
		}
	}
	if d.pool.Build != nil && d.before.Build == nil {
		d.add("", "image is being built").Message = d.pool.Build.Message
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
			d.add(n.Name, "STUCK "+Reason(n, Options{Now: d.now})).Message = n.Message
		}
	}
	for _, n := range d.pool.Nodes {
		if old, ok := was[n.Name]; ok && old.UID == n.UID && n.State != progress.Stuck && n.State != progress.Done {
			d.add(n.Name, "no longer stuck, "+Doing(n))
		}
	}
}
