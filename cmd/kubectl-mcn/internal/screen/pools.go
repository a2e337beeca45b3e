package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The widths to which the name of a pool is cut: where there is room, and where there is little.
const (
	longestPool = 24
	leastPool   = 6
)

// poolLayout is a table of pools: beside POOL and DONE, TARGET with a bar, the counts, TYPICAL, STUCK
// and LEFT.
type poolLayout struct {
	bar                      int
	counts, typical, verdict bool
}

// layouts are the tables of pools, the widest first: the first one that fits is used. Those without a
// bar shorten the names.
var layouts = []poolLayout{
	{40, true, true, true},
	{14, false, true, true},
	{10, false, false, true},
	{0, false, false, true},
	{},
}

// poolTable returns a row for each pool.
func poolTable(pools []progress.Pool, width int) []string {
	for _, l := range layouts {
		rest, longest := poolColumns(pools, l), longestPool
		if room := width - breadth(rest, 0); width > 0 && l.bar == 0 {
			if l.verdict && room < leastPool {
				continue
			}
			longest = min(longest, max(room, len("POOL")))
		}
		all := append([]column{poolNames(pools, longest)}, rest...)
		if width <= 0 || l.bar == 0 || breadth(all, 0) <= width {
			return layout(all, 0, width)
		}
	}
	return nil
}

func poolNames(pools []progress.Pool, longest int) column {
	name := column{title: "POOL", width: min(8, longest)}
	var all []string
	for _, p := range pools {
		all = append(all, clean(p.Name))
	}
	name.cells = shortAll(all, longest)
	return name
}

// poolColumns are the columns but the names. The numbers in a row add up to the pool's nodes.
func poolColumns(pools []progress.Pool, l poolLayout) []column {
	target := column{title: "TARGET", gap: 2}
	done := column{title: "DONE", gap: 1, width: 10, right: true}
	updating := column{title: "UPDATING", gap: 2, right: true}
	stuck := column{title: "STUCK", gap: 2, right: true}
	waiting := column{title: "WAITING", gap: 2, right: true}
	unreported := column{title: "UNREPORTED", gap: 2, right: true}
	typical := column{title: "TYPICAL", gap: 2, right: true}
	left := column{title: "LEFT", gap: 2}
	hasUnreported := false
	longest := 0
	for _, p := range pools {
		longest = max(longest, len(TargetText(p.Name, p.Target)))
		hasUnreported = hasUnreported || p.Unreported > 0
	}
	for _, p := range pools {
		target.cells = append(target.cells, pad(TargetText(p.Name, p.Target), max(shortHash, longest))+" "+progressBar(p, l.bar))
		done.cells = append(done.cells, count(p.Done)+"/"+count(p.Total()))
		updating.cells = append(updating.cells, count(p.Updating))
		stuck.cells = append(stuck.cells, count(p.Stuck))
		waiting.cells = append(waiting.cells, count(p.Waiting))
		unreported.cells = append(unreported.cells, count(p.Unreported))
		typical.cells = append(typical.cells, orDash(p.Typical))
		left.cells = append(left.cells, leftText(p))
	}
	if !l.verdict {
		done.width = 0
		return []column{done}
	}
	var all []column
	if l.bar > 0 {
		all = append(all, target)
	}
	all = append(all, done)
	if l.counts {
		all = append(all, updating, stuck, waiting)
		if hasUnreported {
			all = append(all, unreported)
		}
	} else {
		all = append(all, stuck)
	}
	if l.typical {
		all = append(all, typical)
	}
	return append(all, left)
}

// progressBar draws the progress of a pool: done, in an update, waiting. It is full only if all nodes
// are done, and a node in an update is always visible.
func progressBar(p progress.Pool, width int) string {
	var done, moving int
	if total := p.Total(); total > 0 {
		done = p.Done * width / total
		moving = ((p.Updating+p.Stuck)*width + total - 1) / total
		moving = min(moving, width-done)
	}
	return "[" + strings.Repeat("#", done) + strings.Repeat(">", moving) + strings.Repeat(".", width-done-moving) + "]"
}

// shortHash is how much of a hash is shown.
const shortHash = 8

// TargetText shortens a target: rendered-worker-7de7db73… to the beginning of the hash, with that of the
// image if there is one.
func TargetText(pool string, t progress.Target) string {
	text := cutHash(clean(strings.TrimPrefix(strings.TrimPrefix(t.Config, "rendered-"), pool+"-")))
	if t.Image != "" {
		image := t.Image
		if _, digest, ok := strings.Cut(image, "@sha256:"); ok {
			image = digest
		}
		text += "@" + cutHash(clean(image))
	}
	return text
}

func cutHash(s string) string { return columns.Truncate(s, shortHash, "") }

// IsBlocked reports whether stuck nodes are why others wait. In a paused pool they wait anyway.
func IsBlocked(p progress.Pool) bool { return p.Blocked && !p.Paused }

// leftText returns the remaining time of a pool, if it is known, or why it makes no progress.
func leftText(p progress.Pool) string {
	switch {
	case len(p.Problems) > 0:
		return "degraded"
	case p.Build != nil:
		return "building"
	case p.Total() == 0:
		return "-"
	case p.Done == p.Total():
		return "done"
	case p.Paused:
		return "paused"
	case IsBlocked(p), p.Stuck > 0 && p.Updating == 0:
		return "blocked"
	case p.Stuck > 0:
		return "?"
	case p.Remaining != nil && *p.Remaining <= 0:
		return "soon"
	case p.Remaining != nil:
		return "~" + took(*p.Remaining)
	}
	return ""
}
