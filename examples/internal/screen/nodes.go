package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The indent of the table of nodes, and the width to which a name is cut in it.
const (
	nodeIndent  = 2
	longestNode = 41
)

// nodeRows returns a row for each chosen node that is not stuck. If there are too many, it returns
// a row for each step or, for nodes that are not in flight, the first rows and a count.
func nodeRows(pools []progress.Pool, o Options, room int) []Line {
	chosen := chosenNodes(pools, o)
	if len(chosen) == 0 {
		return nil
	}
	most := mostRows
	if o.Height > 0 {
		most = max(2, room)
	}
	switch more := len(chosen) - (most - 1); {
	case o.Whole || more <= 1:
		return titled(nodeTable(chosen, o))
	case allInFlight(chosen):
		rows := titled(stepTable(pools, chosen, o))
		if o.List {
			rows = append(rows, others(nodes(len(chosen)), o)...)
		}
		return rows
	default:
		return append(titled(nodeTable(chosen[:most-1], o)), others(fmt.Sprintf("and %s more", count(more)), o)...)
	}
}

// listAll tells how to see what is only counted.
const listAll = "; -o wide lists all"

// others counts nodes that have no row.
func others(counted string, o Options) []Line {
	text := strings.Repeat(" ", nodeIndent) + "... " + counted
	if o.Height == 0 {
		text += listAll
	}
	return lines(Plain, Cut(text, o.Width))
}

// titled returns an empty line, the titles of a table, and its rows.
func titled(rows []string) []Line {
	return append([]Line{{}, {rows[0], Header}}, lines(Plain, rows[1:]...)...)
}

// chosenNodes returns the nodes that are to be shown and are not stuck: those in flight, the longest
// at their step first, and after them the others of a list, by name.
func chosenNodes(pools []progress.Pool, o Options) []progress.Node {
	var flying, other []progress.Node
	for _, p := range pools {
		stuck := map[string]bool{}
		for _, s := range p.Stuck {
			stuck[s.Node.Name] = true
		}
		for _, n := range p.Nodes {
			switch {
			case stuck[n.Name] || o.Show != nil && !o.Show(n):
			case inFlight(n):
				flying = append(flying, n)
			case o.List:
				other = append(other, n)
			}
		}
	}
	slices.SortStableFunc(flying, func(a, b progress.Node) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
	})
	return append(flying, other...)
}

func allInFlight(nodes []progress.Node) bool {
	return !slices.ContainsFunc(nodes, func(n progress.Node) bool { return !inFlight(n) })
}

// nodeTable returns a row for each node, in as many columns as fit.
func nodeTable(flying []progress.Node, o Options) []string {
	longest := longestNode
	name := column{title: "NODE", width: 9}
	drawn := column{title: "STEPS", gap: 2, width: 7}
	step := column{title: "STEP", gap: 1, width: 13}
	lap := column{title: "FOR", gap: 2, width: 5, right: true}
	total := column{title: "TOTAL", gap: 2, right: true}
	message := column{title: "MESSAGE", gap: 2}
	for _, n := range flying {
		drawn.cells = append(drawn.cells, marks(n))
		step.cells = append(step.cells, where(n))
		lap.cells = append(lap.cells, sinceNow(n.Since, o.Now))
		total.cells = append(total.cells, wholeTime(n, o))
		message.cells = append(message.cells, Cut(clean(n.Why), o.Width))
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
		for _, n := range flying {
			name.cells = append(name.cells, short(clean(n.Name), longest))
		}
		if i == 0 && isWide(o.Width) {
			more = append(more, message)
		}
		return layout(append([]column{name}, more...), nodeIndent, o.Width)
	}
	return nil
}

// where returns the step of a node in flight, and the state of another one.
func where(n progress.Node) string {
	if inFlight(n) {
		return doing(n)
	}
	return string(n.State)
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
	case inFlight(n):
		return sinceNow(from, o.Now)
	case n.Ended.After(from):
		return took(n.Ended.Sub(from))
	}
	return "-"
}

// isWide reports whether there is room for more than the usual columns.
func isWide(width int) bool { return width <= 0 || width >= 116 }
