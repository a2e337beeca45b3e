package screen

import (
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// nodeMoves returns the changes of a node of a pool between two views.
func nodeMoves(p progress.Pool, before, after progress.Node, now time.Time) []Move {
	changed := before.Desired != after.Desired
	switch {
	case after.State == progress.Done && before.State != progress.Done:
		return []Move{doneMove(p, before, after, now)}
	case after.NotBegun && (changed || !before.NotBegun):
		return []Move{ofNodeMove(p, after, now, Ordered, "is ordered to "+TargetText(p.Name, after.Desired))}
	case after.InUpdate() && !after.NotBegun && (changed || before.NotBegun || !before.InUpdate()):
		m := ofNodeMove(p, after, now, Begun, "begun, "+Doing(after))
		m.Next = after.Step
		return []Move{m}
	case after.InUpdate() && before.Step != after.Step:
		return stepMoves(p, before, after, now)
	}
	return nil
}

func doneMove(p progress.Pool, before, after progress.Node, now time.Time) Move {
	from := after.Ordered
	if from.IsZero() {
		from = before.Begun
	}
	m := ofNodeMove(p, after, now, Done, "done")
	if !from.IsZero() && after.Ended.After(from) {
		m.Took = after.Ended.Sub(from)
		m.text += " in " + took(m.Took)
	}
	return m
}

// stepMoves returns a move for each finished step. The last one has the running step.
func stepMoves(p progress.Pool, before, after progress.Node, now time.Time) []Move {
	was := map[phases.Phase]progress.StepState{}
	for _, s := range before.Steps {
		was[s.Phase] = s.State
	}
	var moves []Move
	for _, s := range after.Steps {
		if s.State != progress.Finished || was[s.Phase] == progress.Finished {
			continue
		}
		m := ofNodeMove(p, after, now, StepDone, stepName(s.Phase)+" done")
		m.Step, m.Took = s.Phase, s.Duration
		if s.Duration > 0 {
			m.text += " in " + took(s.Duration)
		}
		moves = append(moves, m)
	}
	if len(moves) == 0 {
		moves = append(moves, ofNodeMove(p, after, now, AtStep, Doing(after)))
	} else {
		moves[len(moves)-1].text += ", " + Doing(after)
	}
	moves[len(moves)-1].Next = after.Step
	return moves
}

// stuckMoves returns the nodes that have become stuck since the last view, and those that are not
// stuck any more.
func stuckMoves(before, after progress.Pool, now time.Time) []Move {
	var moves []Move
	was, is := map[string]progress.Node{}, map[string]bool{}
	for _, n := range before.StuckNodes() {
		was[n.Name] = n
	}
	for _, n := range after.StuckNodes() {
		is[n.Name] = true
		old, ok := was[n.Name]
		if ok && old.UID == n.UID && old.IsDegraded() == n.IsDegraded() {
			continue
		}
		m := ofNodeMove(after, n, now, Stuck, "STUCK "+Reason(n, Options{Now: now}))
		m.Step, m.Took, m.Message = n.Step, n.For, n.Message
		moves = append(moves, m)
	}
	for _, n := range after.Nodes {
		if old, ok := was[n.Name]; ok && old.UID == n.UID && !is[n.Name] && n.State != progress.Done {
			moves = append(moves, ofNodeMove(after, n, now, Recovered, "no longer stuck, "+Doing(n)))
		}
	}
	return moves
}
