package screen

import (
	"fmt"
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// cause is what stuck nodes have in common.
type cause struct {
	pool, message string
	step          phases.Phase
	degraded      bool
}

// stuckNodes describes the stuck nodes of the pools: the degraded ones first, then the longest. Nodes with the
// same cause are one entry.
func stuckNodes(pools []progress.Pool, o Options) []Line {
	var order []cause
	byCause := map[cause][]progress.Node{}
	for _, p := range pools {
		for _, n := range p.StuckNodes() {
			if o.Show != nil && !o.Show(n) {
				continue
			}
			c := cause{p.Name, strings.ReplaceAll(n.Message, n.Name, ""), n.Step, n.IsDegraded()}
			if len(byCause[c]) == 0 {
				order = append(order, c)
			}
			byCause[c] = append(byCause[c], n)
		}
	}
	most := mostEntries
	switch {
	case o.Whole:
		most = len(order)
	case o.List:
		most = mostRows
	}
	most = min(most, len(order))
	var screen []Line
	for _, c := range order[:most] {
		same := byCause[c]
		entry := ofNode(same[0], o).draw(o)
		screen = append(screen, entry...)
		if len(same) > 1 {
			screen = append(screen, lines(Alarm, indented(margin, margin, "the same: "+namesOf(same[1:], o), o.Width, 0)...)...)
		}
	}
	left := 0
	for _, c := range order[most:] {
		left += len(byCause[c])
	}
	if left > 0 {
		text := fmt.Sprintf("! %s more stuck, for other causes: kubectl mcn --state stuck -o wide", nodes(left))
		screen = append(screen, Line{}, Line{Text: Cut(text, o.Width), Tone: Alarm})
	}
	return screen
}

// mostNames is how many names there are in a row.
const mostNames = 10

// namesOf returns the names of nodes in one row, and how to see those that are cut.
func namesOf(ns []progress.Node, o Options) string {
	most := mostNames
	if o.Whole {
		most = len(ns)
	}
	var names []string
	for _, n := range ns[:min(most, len(ns))] {
		names = append(names, clean(n.Name))
	}
	text := strings.Join(names, ", ")
	if more := len(ns) - most; more > 0 {
		text += fmt.Sprintf(" and %s more: kubectl mcn -o wide", count(more))
	}
	return text
}

// pinnedImageSets describes the sets that nodes of a pool cannot pull, or are pulling.
func pinnedImageSets(p progress.Pool, o Options) []Line {
	var order []progress.PinnedImageSet
	bySet := map[progress.PinnedImageSet][]progress.Node{}
	for _, n := range p.Nodes {
		if o.Show != nil && !o.Show(n) {
			continue
		}
		for _, s := range n.PinnedImageSets {
			key := s
			if len(bySet[key]) == 0 {
				order = append(order, key)
			}
			bySet[key] = append(bySet[key], n)
		}
	}
	var ls []Line
	most := mostEntries
	if o.Whole || o.List {
		most = len(order)
	}
	for _, s := range order[:min(most, len(order))] {
		set := "a pinned image set"
		if s.Name != "" {
			set = "pinned image set " + clean(s.Name)
		}
		entry := Problem{Headline: fmt.Sprintf("~ %s: %s is pulled%s", namesOf(bySet[s], o), set, sinceText(s.Since, o.Now)), Tone: Warn}
		if s.Failed {
			entry = Problem{Headline: fmt.Sprintf("! %s: %s has failed%s", namesOf(bySet[s], o), set, sinceText(s.Since, o.Now)), Message: s.Message, Tone: Alarm}
		}
		ls = append(ls, entry.draw(o)...)
	}
	if more := len(order) - most; more > 0 {
		ls = append(ls, Line{}, Line{Text: Cut(fmt.Sprintf("~ %d more of %s on pinned image sets: kubectl mcn -o wide", more, clean(p.Name)), o.Width), Tone: Warn})
	}
	return ls
}
