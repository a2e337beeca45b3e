package screen

import (
	"cmp"
	"slices"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// The indent of the table of nodes, and the width to which a name is cut in it.
const (
	nodeIndent  = 2
	longestNode = 41
)

// nodeRows returns a row for each node in flight that is not stuck or, if there are too many, for
// each step.
func nodeRows(pools []progress.Pool, o Options, room int) []Line {
	if o.Every {
		return everyNode(pools, o)
	}
	flying := flight(pools, o.Show)
	if len(flying) == 0 {
		return nil
	}
	most := mostRows
	if o.Height > 0 {
		most = room
	}
	var rows []string
	if len(flying) <= most {
		rows = nodeTable(flying, o)
	} else {
		rows = stepTable(pools, flying, o)
	}
	return titled(rows)
}

// titled returns an empty line, the titles of a table, and its rows.
func titled(rows []string) []Line {
	return append([]Line{{}, {rows[0], Header}}, lines(Plain, rows[1:]...)...)
}

// flight returns the nodes in flight that are not stuck, the longest at their step first.
func flight(pools []progress.Pool, show func(progress.Node) bool) []progress.Node {
	var flying []progress.Node
	for _, p := range pools {
		stuck := map[string]bool{}
		for _, s := range p.Stuck {
			stuck[s.Node.Name] = true
		}
		for _, n := range p.Nodes {
			if inFlight(n) && !stuck[n.Name] && (show == nil || show(n)) {
				flying = append(flying, n)
			}
		}
	}
	slices.SortStableFunc(flying, func(a, b progress.Node) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
	})
	return flying
}

// everyNode returns a row for each chosen node that is not stuck.
func everyNode(pools []progress.Pool, o Options) []Line {
	var chosen []progress.Node
	for _, p := range pools {
		stuck := map[string]bool{}
		for _, s := range p.Stuck {
			stuck[s.Node.Name] = true
		}
		for _, n := range p.Nodes {
			if !stuck[n.Name] && (o.Show == nil || o.Show(n)) {
				chosen = append(chosen, n)
			}
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	return titled(nodeTable(chosen, o))
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
		message.cells = append(message.cells, Cut(clean(n.Why), max(mostWideIn, o.Width)))
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
