package screen

import (
	"cmp"
	"fmt"
	"slices"
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
		return others(0, missing, o)
	}
	most := mostRows
	if o.Height > 0 {
		most = max(2, room)
	}
	if o.Whole || len(chosen) <= most {
		most = len(chosen)
	}
	ls := append([]Line{{}}, nodeTable(chosen[:most], o)...)
	for i, n := range chosen[:most] {
		switch l := &ls[i+2]; {
		case n.State == progress.Stuck:
			l.Tone = Alarm
		case n.Slow:
			l.Tone, l.Text = Warn, "~"+l.Text[1:]
		}
	}
	return append(ls, others(len(chosen)-most, missing, o)...)
}

// others counts nodes that have no row, and those without an object.
func others(more, missing int, o Options) []Line {
	var ls []Line
	if more > 0 {
		ls = append(ls, Line{Text: Cut(fmt.Sprintf("  ... and %d more: -o wide lists all", more), o.Width)})
	}
	if missing > 0 && (o.List || o.Whole) {
		ls = append(ls, Line{Text: Cut("  ... and "+nodes(missing)+" without a MachineConfigNode", o.Width)})
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

// nodeTable returns a row for each node, in as many columns as fit: with messages only on a wide screen.
func nodeTable(all []progress.Node, o Options) []Line {
	name, names, longest := "NODE     ", []string{}, longestNode
	for _, n := range all {
		names = append(names, clean(n.Name))
	}
	if o.Whole {
		longest = 0
	}
	columns, rows := 5, [][]string(nil)
	if o.Width > 0 && o.Width < 116 {
		columns = 4
	}
	for ; ; columns-- {
		step, marked := "STEP         ", func(progress.Node) string { return "" }
		if columns > 3 {
			step, marked = "STEPS   "+step, func(n progress.Node) string { return pad(marks(n), 7) + " " }
		}
		rows = [][]string{[]string{name, step, ">  FOR", ">TOTAL", "MESSAGE"}[:columns]}
		for _, n := range all {
			rows = append(rows, []string{"", marked(n) + doingOrStuck(n), lapOf(n, o.Now), wholeTime(n, o), Clean(n.Message, o.Width)}[:columns])
		}
		room := o.Width - breadth(rows, nodeIndent) + len(name)
		if o.Width <= 0 || columns == 5 {
			break
		}
		if room >= len(name) || columns == 2 {
			longest = min(longest, max(room, 4))
			break
		}
	}
	for i, short := range shortAll(names, longest) {
		rows[i+1][0] = short
	}
	return tableLines(rows, nodeIndent, o.Width)
}

func doingOrStuck(n progress.Node) string {
	switch {
	case n.State != progress.Stuck:
		return Doing(n)
	case n.InUpdate():
		return Doing(n) + ", stuck"
	}
	return "Degraded"
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
