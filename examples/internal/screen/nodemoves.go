package screen

import (
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// nodeMoves returns the changes of a node of a pool between two views.
func nodeMoves(p progress.Pool, before, after progress.Node, now time.Time) []Move {
	changed := before.State != after.State || before.Desired != after.Desired
	switch {
	case after.State == progress.Done && before.State != progress.Done:
		return []Move{doneMove(p, before, after, now)}
	case after.State == progress.Ordered && changed:
		return []Move{ofNode(p, after, now, Ordered, "desired config is now "+Target(p.Name, after.Desired))}
	case after.State == progress.Updating && changed:
		m := ofNode(p, after, now, Begun, "begun, "+doing(after))
		m.Next = after.Step
		return []Move{m}
	case after.State == progress.Updating && before.Step != after.Step:
		return stepMoves(p, before, after, now)
	}
	return nil
}

func doneMove(p progress.Pool, before, after progress.Node, now time.Time) Move {
	from := after.Ordered
	if from.IsZero() {
		from = before.Begun
	}
	m := ofNode(p, after, now, Done, "done")
	if !from.IsZero() && after.Ended.After(from) {
		m.Took = after.Ended.Sub(from)
		m.text += " in " + took(m.Took)
	}
	return m
}

// stepMoves returns a move for each finished step. The last one has the running step.
func stepMoves(p progress.Pool, before, after progress.Node, now time.Time) []Move {
	was := map[phases.Phase]progress.Mark{}
	for _, s := range before.Steps {
		was[s.Phase] = s.Mark
	}
	var moves []Move
	for _, s := range after.Steps {
		if s.Mark != progress.Finished || was[s.Phase] == progress.Finished {
			continue
		}
		m := ofNode(p, after, now, StepDone, Doing(s.Phase)+" done")
		m.Step, m.Took = s.Phase, s.Took
		if s.Took > 0 {
			m.text += " in " + took(s.Took)
		}
		moves = append(moves, m)
	}
	if len(moves) == 0 {
		moves = append(moves, ofNode(p, after, now, AtStep, doing(after)))
	} else {
		moves[len(moves)-1].text += ", " + doing(after)
	}
	moves[len(moves)-1].Next = after.Step
	return moves
}

// stuckMoves returns the nodes that have become stuck since the last view, and those that are not
// stuck any more.
func stuckMoves(before, after progress.Pool, now time.Time) []Move {
	var moves []Move
	was, is := map[string]progress.Stuck{}, map[string]bool{}
	for _, s := range before.Stuck {
		was[s.Node.Name] = s
	}
	for _, s := range after.Stuck {
		is[s.Node.Name] = true
		old, ok := was[s.Node.Name]
		if ok && old.Node.UID == s.Node.UID && old.Node.IsDegraded() == s.Node.IsDegraded() {
			continue
		}
		m := ofNode(after, s.Node, now, Stuck, "STUCK "+Reason(s))
		m.Step, m.Took, m.Message = s.Node.Step, s.For, s.Node.Why
		moves = append(moves, m)
	}
	for _, n := range after.Nodes {
		if old, ok := was[n.Name]; ok && old.Node.UID == n.UID && !is[n.Name] && n.State != progress.Done {
			moves = append(moves, ofNode(after, n, now, Recovered, "no longer stuck, "+doing(n)))
		}
	}
	return moves
}
