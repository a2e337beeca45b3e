package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Kind is the kind of a Move.
type Kind string

// The kinds of moves: of a node, and of a pool.
const (
	Ordered   Kind = "Ordered"   // the node's update was ordered
	Begun     Kind = "Begun"     // its update has begun
	StepDone  Kind = "StepDone"  // it has finished a step
	AtStep    Kind = "AtStep"    // it is at a step; the previous one is not known
	Done      Kind = "Done"      // it has its desired config and image
	Stuck     Kind = "Stuck"     // it needs an administrator
	Recovered Kind = "Recovered" // it is not stuck any more
	Deleted   Kind = "Deleted"   // it was deleted

	PoolFound    Kind = "PoolFound"    // the pool was observed for the first time
	PoolTarget   Kind = "PoolTarget"   // it has another target
	PoolPaused   Kind = "PoolPaused"   // it begins no more updates
	PoolUnpaused Kind = "PoolUnpaused" // it begins updates again
	PoolBlocked  Kind = "PoolBlocked"  // its stuck nodes take all of maxUnavailable
	PoolDone     Kind = "PoolDone"     // all its nodes are done
	PoolDeleted  Kind = "PoolDeleted"  // it was deleted
	PoolDegraded Kind = "PoolDegraded" // one of its own conditions is not well
	PoolBuilding Kind = "PoolBuilding" // its image is being built
)

// Move is one change in a rollout.
type Move struct {
	Time        time.Time
	Kind        Kind
	Pool        string
	Target      progress.Target
	Done, Nodes int    // of the pool, after the move
	Node        string // "" for a move of the pool itself

	Step, Next phases.Phase  // the finished step, and the running one
	Took       time.Duration // of the finished step or update; 0 if it is not known
	Message    string        // why a node is stuck
	text       string
}

// mostMessage is the maximum length of a message in the text of a move that is not whole.
const mostMessage = 240

// Text returns the move on one line: whole, or with a long message cut.
func (m Move) Text(zone *time.Location, whole bool) string {
	text := fmt.Sprintf("%s %s %d/%d ", m.Time.In(zone).Format(time.TimeOnly), clean(m.Pool), m.Done, m.Nodes)
	if m.Node != "" {
		text += clean(m.Node) + " "
	}
	text = strings.TrimRight(text+m.text, " ")
	if m.Message != "" {
		most := mostMessage
		if whole {
			most = 0
		}
		text += ": " + Cut(clean(m.Message), most)
	}
	return text
}

// Found returns the moves of pools that are observed for the first time.
func Found(pools []progress.Pool, now time.Time) []Move {
	var moves []Move
	for _, p := range pools {
		var parts []string
		if p.Target.Config != "" {
			parts = append(parts, "target "+TargetText(p.Name, p.Target))
		}
		for _, state := range []struct {
			nodes int
			name  string
		}{{p.Updating, "updating"}, {p.Stuck, "stuck"}, {p.Waiting, "waiting"}, {p.Unreported, "unreported"}} {
			if state.nodes > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", state.nodes, state.name))
			}
		}
		if p.Paused {
			parts = append(parts, "paused")
		}
		moves = append(moves, ofPoolMove(p, now, PoolFound, strings.Join(parts, ", ")))
		moves = append(moves, problemMoves(progress.Pool{}, p, now)...)
		moves = append(moves, stuckMoves(progress.Pool{}, p, now)...)
		moves = append(moves, blockedMoves(progress.Pool{}, p, now)...)
	}
	return moves
}

// Moves returns the changes between two views of the pools, in the order of the pools and nodes in
// the second one.
func Moves(before, after []progress.Pool, now time.Time) []Move {
	var moves []Move
	for _, p := range after {
		if i := find(before, p.Name); i >= 0 {
			moves = append(moves, poolMoves(before[i], p, now)...)
		} else {
			moves = append(moves, Found([]progress.Pool{p}, now)...)
		}
	}
	for _, p := range before {
		if find(after, p.Name) < 0 {
			moves = append(moves, ofPoolMove(p, now, PoolDeleted, "deleted"))
		}
	}
	return moves
}

func find(pools []progress.Pool, name string) int {
	for i, p := range pools {
		if p.Name == name {
			return i
		}
	}
	return -1
}

func poolMoves(before, after progress.Pool, now time.Time) []Move {
	var moves []Move
	if before.Target != after.Target {
		moves = append(moves, ofPoolMove(after, now, PoolTarget, "target "+TargetText(after.Name, after.Target)))
	}
	if before.Paused != after.Paused {
		kind, text := PoolUnpaused, "unpaused"
		if after.Paused {
			kind, text = PoolPaused, "paused"
		}
		moves = append(moves, ofPoolMove(after, now, kind, text))
	}
	was := map[string]progress.Node{}
	for _, n := range before.Nodes {
		was[n.Name] = n
	}
	for _, n := range after.Nodes {
		if old, ok := was[n.Name]; ok && old.UID == n.UID {
			moves = append(moves, nodeMoves(after, old, n, now)...)
			delete(was, n.Name)
		}
	}
	for _, n := range before.Nodes {
		if _, gone := was[n.Name]; gone {
			moves = append(moves, ofNodeMove(after, n, now, Deleted, "deleted"))
		}
	}
	moves = append(moves, problemMoves(before, after, now)...)
	moves = append(moves, stuckMoves(before, after, now)...)
	moves = append(moves, blockedMoves(before, after, now)...)
	if after.IsDone() && !before.IsDone() {
		moves = append(moves, ofPoolMove(after, now, PoolDone, "done"))
	}
	return moves
}

// problemMoves returns what has become wrong with a pool itself, and a build that has begun.
func problemMoves(before, after progress.Pool, now time.Time) []Move {
	var moves []Move
	had := map[string]bool{}
	for _, c := range before.Problems {
		had[c.Type] = true
	}
	for _, c := range after.Problems {
		if !had[c.Type] {
			m := ofPoolMove(after, now, PoolDegraded, clean(c.Type))
			m.Message = c.Message
			moves = append(moves, m)
		}
	}
	if after.Build != nil && before.Build == nil {
		m := ofPoolMove(after, now, PoolBuilding, "image is being built")
		m.Message = after.Build.Message
		moves = append(moves, m)
	}
	return moves
}

func blockedMoves(before, after progress.Pool, now time.Time) []Move {
	if !IsBlocked(after) || IsBlocked(before) {
		return nil
	}
	return []Move{ofPoolMove(after, now, PoolBlocked, fmt.Sprintf("blocked, stuck nodes take all of maxUnavailable (%d)", after.MaxUnavailable))}
}

func ofPoolMove(p progress.Pool, now time.Time, kind Kind, text string) Move {
	return Move{Time: now, Kind: kind, Pool: p.Name, Target: p.Target, Done: p.Done, Nodes: p.Total(), text: text}
}

func ofNodeMove(p progress.Pool, n progress.Node, now time.Time, kind Kind, text string) Move {
	m := ofPoolMove(p, now, kind, text)
	m.Node = n.Name
	return m
}
