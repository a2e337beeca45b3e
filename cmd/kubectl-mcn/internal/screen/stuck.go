package screen

import (
	"fmt"
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// mostNames is how many names there are in a row.
const mostNames = 10

// stuckNodes describes the stuck nodes of the pools: the degraded ones first, then the longest.
func stuckNodes(pools []progress.Pool, o Options) []Line {
	var all []Problem
	for _, p := range pools {
		for _, n := range p.StuckNodes() {
			if o.Show == nil || o.Show(n) {
				all = append(all, ofNode(n, o))
			}
		}
	}
	return grouped(all, "! %s more stuck, for other causes: kubectl mcn --state stuck -o wide", o)
}

// pinnedImageSets describes the sets that nodes cannot pull, or are pulling.
func pinnedImageSets(pools []progress.Pool, o Options) []Line {
	var all []Problem
	for _, p := range pools {
		all = append(all, ofPinnedImageSets(p, o)...)
	}
	return grouped(all, "~ %s more with pinned image sets: kubectl mcn -o wide", o)
}

// grouped draws the first problem of each cause, with the names of the other nodes that have it. If there are too many,
// it counts the others.
func grouped(all []Problem, more string, o Options) []Line {
	var order []Problem
	names := map[any][]string{}
	for _, p := range all {
		if names[p.cause] == nil {
			order = append(order, p)
		}
		names[p.cause] = append(names[p.cause], p.Subject)
	}
	most, mostNames := min(mostEntries, len(order)), mostNames
	switch {
	case o.Whole:
		most, mostNames = len(order), len(all)
	case o.List:
		most = min(mostRows, len(order))
	}
	var ls []Line
	for _, p := range order[:most] {
		ls = append(ls, p.draw(o)...)
		if same := names[p.cause][1:]; len(same) > 0 {
			text := "the same: " + strings.Join(same[:min(mostNames, len(same))], ", ")
			if cut := len(same) - mostNames; cut > 0 {
				text += fmt.Sprintf(" and %d more: kubectl mcn -o wide", cut)
			}
			ls = append(ls, lines(p.Tone, indented(margin, margin, text, o.Width, 0)...)...)
		}
	}
	left := 0
	for _, p := range order[most:] {
		left += len(names[p.cause])
	}
	if left > 0 {
		ls = append(ls, Line{}, Line{Text: Cut(fmt.Sprintf(more, nodes(left)), o.Width), Tone: order[most].Tone})
	}
	return ls
}
