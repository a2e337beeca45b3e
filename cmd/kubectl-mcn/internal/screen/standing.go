package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// If at least manyNodes nodes of a pool are updating, Standing omits their steps, and Snapshot has
// a line that counts the nodes at each step.
const manyNodes = 10

// Standing describes a pool in one line, for example "worker 3/5 to 22222222, 1 draining, 1 stuck".
func Standing(p cluster.Pool) string {
	text := fmt.Sprintf("%s %d/%d", Clean(p.Name), p.Done, p.Total())
	if p.Target.Config != "" {
		text += " to " + targetText(p.Target)
	}
	parts, others := []string{text}, p
	others.Done = 0
	if p.Updating < manyNodes {
		parts, others.Updating = append(parts, stepCounts(p)...), 0
	}
	parts = append(parts, stateCounts(others)...)
	add := func(is bool, text string) {
		if is {
			parts = append(parts, text)
		}
	}
	add(!p.Known, "the target is not known")
	add(p.Paused, "paused")
	add(p.Blocked, "blocked")
	add(p.Stalled, "stalled")
	add(p.Unobserved != nil, "waiting for the controller")
	for _, c := range p.Problems {
		add(true, Clean(c.Type))
	}
	add(p.IsBuilding(), "its image is not built")
	add(p.Build != nil && !p.IsBuilding(), "its image is not applied")
	add(p.NotUpdated != nil, "not Updated")
	var sets []mco.PinnedImageSet
	for _, n := range p.Nodes {
		sets = append(sets, n.PinnedImageSets...)
	}
	hasFailed := slices.ContainsFunc(sets, func(s mco.PinnedImageSet) bool { return s.Failed })
	isPulled := slices.ContainsFunc(sets, func(s mco.PinnedImageSet) bool { return s.Name != "" })
	add(hasFailed, "a pinned image set has failed")
	add(isPulled && !hasFailed, "a pinned image set is being pulled")
	add(len(sets) > 0 && !isPulled && !hasFailed, "the daemon checks the pinned image sets")
	return strings.Join(parts, ", ")
}

// Wrapped breaks a line of wait, which starts with a time. The other lines are indented.
func Wrapped(text string, width int) []Line {
	return wrapped(Plain, "", strings.Repeat(" ", len(time.TimeOnly)+1), text, width)
}

// stepCounts counts the updating nodes at each step, for example "12 draining" and "3 rebooting". Nodes that update to
// another target are counted apart: "2 draining to 11111111".
func stepCounts(p cluster.Pool) (counts []string) {
	work := func(n cluster.Node) string {
		if n.OffTarget {
			return stepOf(n) + " to " + targetText(n.Towards())
		}
		return stepOf(n)
	}
	steps := mco.Groups(p.NodesIn(cluster.Updating), work)
	slices.SortStableFunc(steps, func(a, b []cluster.Node) int { return len(b) - len(a) })
	for _, all := range steps {
		counts = append(counts, fmt.Sprintf("%d %s", len(all), work(all[0])))
	}
	return counts
}
