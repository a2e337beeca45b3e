package screen

import (
	"strconv"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// poolLayouts are the layouts of the table of pools. The first layout that fits is used.
var poolLayouts = []struct {
	bar, name int    // the width of the bar, and the maximum width of a pool's name
	without   string // the columns that are left out
}{
	{40, 24, ""},
	{14, 24, "UPDATING WAITING"},
	{10, 24, "UPDATING WAITING TYPICAL"},
	{0, 24, "UPDATING WAITING TYPICAL TARGET"},
	{0, 12, "UPDATING WAITING TYPICAL TARGET"},
}

func poolTable(pools []cluster.Pool, o Options) []Line {
	target, hasTypical := shortHash, false
	for _, p := range pools {
		target = max(target, Width(targetText(p.Target)))
		hasTypical = hasTypical || p.Typical > 0
	}
	var rows [][]string
	for _, l := range poolLayouts {
		if !hasTypical {
			l.without += " TYPICAL"
		}
		rows = make([][]string, len(pools)+1)
		add := func(title string, value func(cluster.Pool) string) {
			if strings.Contains(l.without, strings.Trim(title, "> ")) {
				return
			}
			rows[0] = append(rows[0], title)
			for i, p := range pools {
				rows[i+1] = append(rows[i+1], value(p))
			}
		}
		add("POOL    ", func(p cluster.Pool) string { return short(Clean(p.Name), l.name) })
		add("TARGET", func(p cluster.Pool) string {
			return pad(targetText(p.Target), target) + " " + progressBar(p, l.bar)
		})
		add(">     DONE", func(p cluster.Pool) string { return strconv.Itoa(p.Done) + "/" + strconv.Itoa(p.Total()) })
		add(">UPDATING", func(p cluster.Pool) string { return strconv.Itoa(p.Updating) })
		add(">STUCK", func(p cluster.Pool) string { return strconv.Itoa(p.Stuck) })
		add(">WAITING", func(p cluster.Pool) string { return strconv.Itoa(p.Waiting) })
		add(">TYPICAL", func(p cluster.Pool) string { return orDash(p.Typical) })
		add("LEFT", func(p cluster.Pool) string { return leftText(p) })
		if o.Width <= 0 || breadth(rows, 0) <= o.Width {
			break
		}
	}
	return table(rows, 0, o.Width)
}

// progressBar draws the progress of a pool: done, updating, stuck and other nodes. The part of done
// nodes is rounded down, so that the bar is full only if all nodes are done. The parts of updating
// and of stuck nodes are rounded up, so that a single node is visible.
func progressBar(p cluster.Pool, width int) string {
	total, left := max(1, p.Total()), width
	part := func(n, round int) int {
		n = min((n*width+round)/total, left)
		left -= n
		return n
	}
	done := part(p.Done, 0)
	stuck := part(p.Stuck, total-1)
	updating := part(p.Updating, total-1)
	return "[" + strings.Repeat("#", done) + strings.Repeat(">", updating) + strings.Repeat("!", stuck) + strings.Repeat(".", left) + "]"
}

// shortHash is how many characters of a hash are shown.
const shortHash = 8

// targetText shortens the hashes of a target's config and image, for example "22222222@bbbbbbbb".
// If the target has no image, it returns only the hash of the config.
func targetText(t progress.Target) string {
	text := cutHash(t.Config[strings.LastIndex(t.Config, "-")+1:])
	if t.Image != "" {
		text += "@" + cutHash(t.Image[strings.LastIndex(t.Image, ":")+1:])
	}
	return text
}

func cutHash(s string) string { return columns.Truncate(Clean(s), shortHash, "") }

// leftText returns the remaining time of a pool, or the reason why the time is not known.
func leftText(p cluster.Pool) string {
	var isDegraded, isSlow, isPulling bool
	for _, n := range p.Nodes {
		isDegraded = isDegraded || n.Degraded
		isSlow = isSlow || n.Slow
		for _, s := range n.PinnedImageSets {
			isDegraded = isDegraded || s.Failed
			isPulling = true
		}
	}
	switch {
	case len(p.Problems) > 0:
		return "degraded"
	case p.IsBuilding():
		return "building"
	case p.IsDone() && p.Paused:
		return "done, paused"
	case p.IsDone():
		return "done"
	case p.NotUpdated != nil:
		return "not Updated"
	case p.Done == p.Total() && isDegraded:
		return "degraded"
	case p.Done == p.Total() && isPulling:
		return "pulling"
	case p.Paused:
		return "paused"
	case p.Blocked:
		return "blocked"
	case isDegraded && p.Updating+p.Waiting == 0:
		return "degraded"
	case p.Stuck > 0, isSlow, !p.Known:
		return "?"
	case p.Stalled:
		return "stalled"
	case p.WaitsFor != nil:
		return "waiting"
	case p.Remaining != nil && *p.Remaining <= 0:
		return "soon"
	case p.Remaining != nil:
		return "~" + took(*p.Remaining)
	}
	return "-"
}
