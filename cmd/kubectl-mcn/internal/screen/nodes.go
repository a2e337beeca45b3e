package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The indent of the table of nodes, and the width to which a name is cut in it.
const (
	nodeIndent  = 2
	longestNode = 41
)

// nodeRows returns a row for each node that is updating or chosen. If there are too many, it returns the first
// rows, and counts the others.
func nodeRows(pools []progress.Pool, o Options, room int) []Line {
	chosen, missing := chosenNodes(pools, o)
	if len(chosen) == 0 {
		return others(0, missing, nil, o)
	}
	most := mostRows
	if o.Height > 0 {
		most = max(2, room)
	}
	if o.Whole || len(chosen) <= most {
		most = len(chosen)
	}
	table := nodeTable(chosen[:most], o)
	ls := append([]Line{{}}, lines(Header, table[0])...)
	for i, row := range table[1:] {
		switch n := chosen[i]; {
		case n.State == progress.Stuck:
			ls = append(ls, lines(Alarm, row)...)
		case n.Slow:
			ls = append(ls, lines(Warn, "~"+row[1:])...)
		default:
			ls = append(ls, lines(Plain, row)...)
		}
	}
	return append(ls, others(len(chosen)-most, missing, chosen[most:], o)...)
}

// others counts nodes that have no row: by what they do, and those without an object.
func others(more, missing int, rest []progress.Node, o Options) []Line {
	var ls []Line
	if more > 0 {
		counts := map[string]int{}
		var order []string
		for _, n := range rest {
			if counts[Doing(n)]++; counts[Doing(n)] == 1 {
				order = append(order, Doing(n))
			}
		}
		slices.SortStableFunc(order, func(a, b string) int { return counts[b] - counts[a] })
		var parts []string
		for _, what := range order {
			parts = append(parts, count(counts[what])+" "+what)
		}
		text := fmt.Sprintf("... and %s more: %s; -o wide lists all", count(more), strings.Join(parts, ", "))
		ls = append(ls, lines(Plain, indented("  ", "  ", text, o.Width, 2)...)...)
	}
	if missing > 0 && (o.List || o.Whole) {
		ls = append(ls, lines(Plain, indented("  ", "  ", "... and "+nodes(missing)+" without a MachineConfigNode", o.Width, 0)...)...)
	}
	return ls
}

// chosenNodes returns the nodes that have a row: those that are updating, the longest at their step
// first, and of a list or a whole screen all others. It also returns how many have no object.
func chosenNodes(pools []progress.Pool, o Options) ([]progress.Node, int) {
	var updating, other []progress.Node
	missing := 0
	for _, p := range pools {
		missing += p.Missing
		for _, n := range p.Nodes {
			switch {
			case o.Show != nil && !o.Show(n):
			case n.State == progress.Updating:
				updating = append(updating, n)
			case o.Whole || o.List && n.State != progress.Stuck:
				other = append(other, n)
			}
		}
	}
	if o.Show != nil && missing > 0 && !o.Show(progress.Node{State: progress.Unreported}) {
		missing = 0
	}
	slices.SortStableFunc(updating, func(a, b progress.Node) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
	})
	return append(updating, other...), missing
}

// nodeTable returns a row for each node, in as many columns as fit.
func nodeTable(all []progress.Node, o Options) []string {
	longest := longestNode
	if o.Whole {
		longest = 0
	}
	name := column{title: "NODE", width: 9}
	drawn := column{title: "STEPS", gap: 2, width: 7}
	step := column{title: "STEP", gap: 1, width: 13}
	lap := column{title: "FOR", gap: 2, width: 5, right: true}
	total := column{title: "TOTAL", gap: 2, right: true}
	message := column{title: "MESSAGE", gap: 2}
	for _, n := range all {
		drawn.cells = append(drawn.cells, marks(n))
		step.cells = append(step.cells, doingOrStuck(n))
		lap.cells = append(lap.cells, lapOf(n, o.Now))
		total.cells = append(total.cells, wholeTime(n, o))
		message.cells = append(message.cells, Clean(n.Message, o.Width))
	}
	rest := [][]column{{drawn, step, lap, total}, {step, lap}, {step}}
	for i, more := range rest {
		room := o.Width - breadth(more, nodeIndent)
		if o.Width > 0 && room < name.width && i < len(rest)-1 {
			continue
		}
		if o.Width > 0 {
			longest = min(longest, max(room, 4))
		}
		var names []string
		for _, n := range all {
			names = append(names, clean(n.Name))
		}
		name.cells = shortAll(names, longest)
		if i == 0 && isWide(o.Width) {
			more = append(more, message)
		}
		return layout(append([]column{name}, more...), nodeIndent, o.Width)
	}
	return nil
}

func doingOrStuck(n progress.Node) string {
	if n.State == progress.Stuck {
		if n.InUpdate() {
			return Doing(n) + ", stuck"
		}
		return "Degraded"
	}
	return Doing(n)
}

func lapOf(n progress.Node, now time.Time) string {
	if n.State == progress.Updating || n.State == progress.Stuck {
		return orDash(n.For)
	}
	return sinceNow(n.Since, now)
}

// wholeTime returns how long the update of a node has taken: from the order, where it is known, or from the
// begin, where a later order has changed its target meanwhile.
func wholeTime(n progress.Node, o Options) string {
	from := n.Ordered
	if from.IsZero() || !n.Begun.IsZero() && n.Begun.Before(from) {
		from = n.Begun
	}
	switch {
	case from.IsZero():
		return "-"
	case n.InUpdate():
		return sinceNow(from, o.Now)
	case n.Ended.After(from):
		return took(n.Ended.Sub(from))
	}
	return "-"
}

// isWide reports whether there is room for more than the usual columns.
func isWide(width int) bool { return width <= 0 || width >= 116 }
