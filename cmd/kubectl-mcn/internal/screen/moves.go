package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Moves returns the changes between two views of the pools, in the order of the pools and nodes in the second
// view.
func Moves(before, after []progress.Pool, o Options) []Line {
	var all []Line
	for _, p := range after {
		was := slices.IndexFunc(before, func(b progress.Pool) bool { return b.Name == p.Name })
		moves := []string{strings.Join(append(target(p), standing(p)...), ", ")}
		if was >= 0 {
			moves = append(nodeMoves(before[was], p), poolMoves(before[was], p)...)
		}
		for _, move := range moves {
			text := fmt.Sprintf("%s %s %d/%d %s", o.Now.Format(time.TimeOnly), clean(p.Name), p.Done, p.Total(), move)
			all = append(all, wrapped(Plain, margin, text, o.Width)...)
		}
	}
	return all
}

// standing describes a pool: how many nodes are not done, and what is wrong.
func standing(p progress.Pool) []string {
	p.Done = 0
	all := stateCounts(p)
	if !p.Known {
		all = append(all, "the target is not known")
	}
	return append(all, facts(p)...)
}

// Standing describes how far a pool is, in one line.
func Standing(p progress.Pool) string {
	done := fmt.Sprintf("%s %d/%d", clean(p.Name), p.Done, p.Total())
	return strings.Join(append([]string{done}, standing(p)...), ", ")
}

// facts are what is wrong with a pool, in a few words each.
func facts(p progress.Pool) []string {
	var all []string
	add := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	add(p.Paused, "paused")
	add(p.Blocked, "blocked")
	for _, c := range p.Problems {
		add(true, clean(c.Type))
	}
	add(p.Build != nil, "its image is being built")
	isAlarm := func(p Problem) bool { return p.Tone == Alarm }
	add(slices.ContainsFunc(ofPinnedImageSets(p, Options{}), isAlarm), "a pinned image set has failed")
	return all
}

func target(p progress.Pool) []string {
	if p.Target.Config == "" {
		return nil
	}
	return []string{"target " + TargetText(p.Target)}
}

func poolMoves(before, after progress.Pool) []string {
	var all []string
	if before.Target != after.Target {
		all = target(after)
	}
	was := facts(before)
	for _, fact := range facts(after) {
		if !slices.Contains(was, fact) {
			all = append(all, fact)
		}
	}
	if before.Paused && !after.Paused {
		all = append(all, "unpaused")
	}
	if after.IsDone() && !before.IsDone() {
		all = append(all, "done")
	}
	return all
}

func nodeMoves(before, after progress.Pool) []string {
	var all []string
	was := map[string]progress.Node{}
	for _, n := range before.Nodes {
		was[n.Name] = n
	}
	for _, n := range after.Nodes {
		if old, ok := was[n.Name]; ok && old.UID == n.UID {
			if move := nodeMove(old, n); move != "" {
				all = append(all, clean(n.Name)+" "+move)
			}
		}
	}
	return all
}

// nodeMove describes the change of a node, "" if nothing has changed.
func nodeMove(before, after progress.Node) string {
	switch {
	case after.State == progress.Done && before.State != progress.Done:
		if from := cmp.Or(after.Requested, before.Started); !from.IsZero() && after.Completed.After(from) {
			return "done in " + took(after.Completed.Sub(from))
		}
		return "done"
	case after.State == progress.Stuck && before.State != progress.Stuck:
		return "stuck, " + Doing(after)
	case before.State == progress.Stuck && after.State != progress.Stuck:
		return "no longer stuck, " + Doing(after)
	case Doing(before) == Doing(after), !after.InUpdate():
		return ""
	}
	text := Doing(after)
	for i, s := range after.Steps {
		if i < len(before.Steps) && s.Phase == before.Step && s.State == progress.Finished && s.Duration > 0 {
			text += ", " + phaseName(s.Phase) + " took " + took(s.Duration)
		}
	}
	return text
}
