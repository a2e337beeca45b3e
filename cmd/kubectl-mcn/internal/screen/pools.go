package screen

import (
	"strconv"
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// longestPool is the width to which the name of a pool is cut.
const longestPool = 24

// poolLayouts are the tables of pools, the widest first: the first one that fits is used. Beside POOL, DONE, STUCK and
// LEFT they have TARGET with a bar, all counts, and TYPICAL. Those without a bar shorten the names.
var poolLayouts = []struct {
	bar, longest    int
	counts, typical bool
}{
	{bar: 40, longest: longestPool, counts: true, typical: true},
	{bar: 14, longest: longestPool, typical: true},
	{bar: 10, longest: longestPool},
	{longest: longestPool},
	{longest: 12},
}

// poolTable returns a row for each pool. The numbers in a row add up to the pool's nodes.
func poolTable(pools []progress.Pool, o Options) []Line {
	var names []string
	longest, unreported := shortHash, 0
	for _, p := range pools {
		names = append(names, clean(p.Name))
		longest = max(longest, Width(o.target(p)))
		unreported += p.Unreported
	}
	var rows [][]string
	for _, l := range poolLayouts {
		rows = make([][]string, len(pools)+1)
		add := func(title string, value func(progress.Pool) string) {
			rows[0] = append(rows[0], title)
			for i, p := range pools {
				rows[i+1] = append(rows[i+1], value(p))
			}
		}
		number := func(is bool, title string, n func(progress.Pool) int) {
			if is {
				add(title, func(p progress.Pool) string { return strconv.Itoa(n(p)) })
			}
		}
		rows[0] = append(rows[0], "POOL    ")
		for i, name := range shortAll(names, l.longest) {
			rows[i+1] = append(rows[i+1], name)
		}
		if l.bar > 0 {
			add("TARGET", func(p progress.Pool) string {
				return pad(o.target(p), longest) + " " + progressBar(p, l.bar)
			})
		}
		add(">     DONE", func(p progress.Pool) string { return strconv.Itoa(p.Done) + "/" + strconv.Itoa(p.Total()) })
		number(l.counts, ">UPDATING", func(p progress.Pool) int { return p.Updating })
		number(true, ">STUCK", func(p progress.Pool) int { return p.Stuck })
		number(l.counts, ">WAITING", func(p progress.Pool) int { return p.Waiting })
		number(l.counts && unreported > 0, ">UNREPORTED", func(p progress.Pool) int { return p.Unreported })
		if l.typical {
			add(">TYPICAL", func(p progress.Pool) string { return orDash(p.Typical) })
		}
		add("LEFT", leftText)
		if o.Width <= 0 || breadth(rows, 0) <= o.Width {
			break
		}
	}
	return tableLines(rows, 0, o.Width)
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

// target returns the target of a pool, with the OpenShift version where it is known.
func (o Options) target(p progress.Pool) string {
	return strings.TrimRight(TargetText(p.Name, p.Target)+" "+clean(o.Releases[p.Target.Config]), " ")
}

func cutHash(s string) string { return columns.Truncate(s, shortHash, "") }

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
	case p.Blocked, p.Stuck > 0 && p.Updating == 0:
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
