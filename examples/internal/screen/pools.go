package screen

import (
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The bars of the table of pools.
const (
	wideBar   = 40
	normalBar = 20
	smallBar  = 10
)

// The widths to which the name of a pool is cut: where there is room, and where there is little.
const (
	longestPool = 24
	leastPool   = 6
	titlePool   = len("POOL")
)

// poolLayout is a table of pools: beside POOL and DONE, TARGET with a bar, UPDATING and WAITING, A NODE,
// STUCK and LEFT.
type poolLayout struct {
	bar                        int
	counts, duration, verdicts bool
}

// layouts are the tables of pools, the widest first: the first one that fits is used. Those without a
// bar shorten the names.
var layouts = []poolLayout{
	{wideBar, true, true, true},
	{normalBar, false, true, true},
	{smallBar, false, false, true},
	{0, false, false, true},
	{},
}

// poolTable returns a row for each pool.
func poolTable(pools []progress.Pool, width int) []string {
	for _, l := range layouts {
		rest, longest := poolColumns(pools, l), longestPool
		if room := width - breadth(rest, 0); width > 0 && l.bar == 0 {
			if l.verdicts && room < leastPool {
				continue
			}
			longest = min(longest, max(room, titlePool))
		}
		columns := append([]column{poolNames(pools, longest)}, rest...)
		if width <= 0 || l.bar == 0 || breadth(columns, 0) <= width {
			return layout(columns, 0, width)
		}
	}
	return nil
}

func poolNames(pools []progress.Pool, longest int) column {
	name := column{title: "POOL", width: min(8, longest)}
	for _, p := range pools {
		name.cells = append(name.cells, short(clean(p.Name), longest))
	}
	return name
}

// poolColumns are the columns but the names.
func poolColumns(pools []progress.Pool, l poolLayout) []column {
	target := column{title: "TARGET", gap: 2}
	done := column{title: "DONE", gap: 1, width: 11, right: true}
	stuck := column{title: "STUCK", gap: 2, right: true}
	updating := column{title: "UPDATING", gap: 2, right: true}
	waiting := column{title: "WAITING", gap: 2, right: true}
	node := column{title: "A NODE", gap: 2, right: true}
	left := column{title: "LEFT", gap: 2, width: 7, right: true}
	for _, p := range pools {
		target.cells = append(target.cells, pad(Target(p.Name, p.Target), shortTarget)+" "+progressBar(p, l.bar))
		done.cells = append(done.cells, count(p.Done)+"/"+count(Total(p)))
		stuck.cells = append(stuck.cells, count(len(p.Stuck)))
		updating.cells = append(updating.cells, count(p.Updating+p.Ordered-stuckInFlight(p)))
		waiting.cells = append(waiting.cells, count(p.Waiting+p.Unreported+p.Missing))
		node.cells = append(node.cells, orDash(p.Typical))
		left.cells = append(left.cells, timeLeft(p))
	}
	if !l.verdicts {
		done.width = 0
		return []column{done}
	}
	var columns []column
	if l.bar > 0 {
		columns = append(columns, target)
	}
	columns = append(columns, done, stuck)
	if l.counts {
		columns = append(columns, updating, waiting)
	}
	if l.duration {
		columns = append(columns, node)
	}
	return append(columns, left)
}

// progressBar draws the progress of a pool: done, in flight, waiting. It is full only if all nodes
// are done, and a node in flight is always visible.
func progressBar(p progress.Pool, width int) string {
	var done, flying int
	if total := Total(p); total > 0 {
		done = p.Done * width / total
		flying = ((p.Updating+p.Ordered)*width + total - 1) / total
		flying = min(flying, width-done)
	}
	return "[" + strings.Repeat("#", done) + strings.Repeat(">", flying) + strings.Repeat(".", width-done-flying) + "]"
}

// shortTarget is how much of a rendered config's hash is shown.
const shortTarget = 8

// Target shortens the name of a pool's desired config: rendered-worker-7de7db73… to the beginning
// of the hash.
func Target(pool, config string) string {
	config = clean(strings.TrimPrefix(strings.TrimPrefix(config, "rendered-"), pool+"-"))
	return config[:min(len(config), shortTarget)]
}

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-len(s))) }

// Total returns how many nodes a pool has, also those that have not reported.
func Total(p progress.Pool) int {
	return p.Done + p.Updating + p.Ordered + p.Waiting + p.Unreported + p.Missing
}

// stuckInFlight returns how many of a pool's stuck nodes are being updated.
func stuckInFlight(p progress.Pool) (n int) {
	for _, s := range p.Stuck {
		if inFlight(s.Node) {
			n++
		}
	}
	return n
}

// isBlocked reports whether stuck nodes are why others wait. In a paused pool they wait anyway.
func isBlocked(p progress.Pool) bool { return p.Blocked && !p.Paused }

// timeLeft returns the remaining time of a pool, if it is known, or why it makes no progress.
func timeLeft(p progress.Pool) string {
	switch {
	case Total(p) == 0:
		return "-"
	case p.Done == Total(p):
		return "done"
	case p.Paused:
		return "paused"
	case isBlocked(p):
		return "blocked"
	case p.LeftKnown && p.Left <= 0:
		return "soon"
	case p.LeftKnown:
		return "~" + took(p.Left)
	}
	return ""
}

// foldPools returns a limited number of pools, those that are done last, and how many it omitted.
func foldPools(pools []progress.Pool, most int) ([]progress.Pool, int) {
	if most <= 0 || len(pools) <= most {
		return pools, 0
	}
	first := slices.Clone(pools)
	slices.SortStableFunc(first, func(a, b progress.Pool) int { return urgency(b) - urgency(a) })
	return first[:most], len(pools) - most
}

func urgency(p progress.Pool) int {
	switch {
	case len(p.Stuck) > 0:
		return 3
	case p.Updating+p.Ordered > 0:
		return 2
	case p.Done < Total(p):
		return 1
	}
	return 0
}
