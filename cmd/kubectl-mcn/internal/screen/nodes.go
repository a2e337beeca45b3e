package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	nodeIndent  = 2
	longestNode = 41 // the maximum width of a name in the table
)

// nodeRows returns the table of the nodes that chosenNodes returns. If o.Height is set, room limits the
// number of lines.
func nodeRows(pools []cluster.Pool, o Options, room int) []Line {
	chosen := chosenNodes(pools, o)
	if len(chosen) == 0 {
		return nil
	}
	var ls []Line
	for _, p := range pools {
		if p.Updating >= manyNodes {
			ls = append(ls, o.paragraph(Plain, Clean(p.Name)+": "+strings.Join(stepCounts(p), ", "))...)
		}
	}
	most := maxRows
	if o.Height > 0 {
		const others = 3 // an empty line, the titles, and the number of the others
		most = max(2, room-len(ls)-others)
	}
	if most = min(most, len(chosen)); o.Whole {
		most = len(chosen)
	}
	ls = append(append(ls, Line{}), nodeTable(chosen[:most], o)...)
	if more := len(chosen) - most; more > 0 {
		ls = append(ls, Line{Text: Cut(fmt.Sprintf("  ... and %d more: -o wide lists all", more), o.Width)})
	}
	return ls
}

// chosenNodes returns the nodes for nodeTable. First come the updating nodes without an entry,
// sorted by the start of their step. If o.Whole is set, all other nodes follow.
func chosenNodes(pools []cluster.Pool, o Options) []cluster.Node {
	var updating, other []cluster.Node
	for _, p := range pools {
		for _, n := range p.Nodes {
			switch {
			case n.State == cluster.Updating && !isSlow(n):
				updating = append(updating, n)
			case o.Whole:
				other = append(other, n)
			}
		}
	}
	slices.SortStableFunc(updating, func(a, b cluster.Node) int { return a.Since.Compare(b.Since) })
	return append(updating, other...)
}

// nodeTable returns a table with a row for each node. The table has the columns KUBELET, OS and MESSAGE if the width
// has no limit.
func nodeTable(all []cluster.Node, o Options) []Line {
	steps := 7
	for _, n := range all {
		steps = max(steps, len(marks(n))) // an update to an image has more steps
	}
	titles, versions := []string{"NODE     ", pad("STEPS", steps) + " STEP", ">  FOR", ">TOTAL"}, []string(nil)
	if o.Width <= 0 {
		if slices.ContainsFunc(all, func(n cluster.Node) bool { return n.Kubelet != "" }) {
			versions = []string{"KUBELET", "OS"}
		}
		titles = append(append(titles, versions...), "MESSAGE")
	}
	rows := [][]string{titles}
	for _, n := range all {
		row := []string{"", pad(marks(n), steps) + " " + doing(n), forText(n, o), totalText(n, o)}
		if versions != nil {
			row = append(row, cmp.Or(Clean(n.Kubelet), "-"), cmp.Or(Clean(n.OS), "-"))
		}
		rows = append(rows, append(row, Clean(n.Message))[:len(titles)])
	}
	for o.Width > 0 && breadth(rows, nodeIndent) > o.Width && len(rows[0]) > 2 {
		for i := range rows {
			rows[i] = rows[i][:len(rows[i])-1]
		}
	}
	longest := 0
	if o.Width > 0 {
		longest = max(4, min(longestNode, o.Width-breadth(rows, nodeIndent)+len(titles[0])))
	}
	for i, n := range all {
		rows[i+1][0] = short(Clean(n.Name), longest)
	}
	return table(rows, nodeIndent, o.Width)
}

// forText returns how long a node has been degraded or, if it is not degraded, at its step. A node that waits for an
// update is at no step: its times are those of its last update.
func forText(n cluster.Node, o Options) string {
	switch {
	case n.Degraded:
		return orDash(n.For)
	case n.State == cluster.Waiting:
		return "-"
	}
	return sinceNow(n.Since, o.Now)
}

// totalText returns how long the update of a node has taken.
func totalText(n cluster.Node, o Options) string {
	from := n.Begin()
	switch {
	case from.IsZero(), n.State == cluster.Waiting:
		return "-"
	case n.InUpdate():
		return sinceNow(from, o.Now)
	}
	return orDash(n.Completed.Sub(from))
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// doing returns the current step of a node in an update, or the state of any other node. It adds
// NotReady, cordoned and the deletion, for example "Draining, NotReady" or "Done, cordoned".
func doing(n cluster.Node) string {
	text := string(n.State)
	switch {
	case n.InUpdate():
		text = capital(stepOf(n))
	case n.Degraded:
		text = "Degraded"
	}
	if n.Is(progress.NotReady) {
		text += ", NotReady"
	}
	if n.Is(progress.Cordoned) && !n.InUpdate() {
		text += ", cordoned"
	}
	if n.Cordoner.Deletes() {
		text += ", " + beingDeleted
	}
	return text
}

// signs has a sign for each state of a step.
var signs = map[mco.StepState]string{
	mco.ToDo: ".", mco.Running: ">", mco.Finished: "#", mco.Failed: "!", mco.Skipped: "-",
}

// marks returns a sign for each step of a node.
func marks(n cluster.Node) (text string) {
	for _, s := range n.Steps {
		text += signs[s.State]
	}
	return text
}

const beingDeleted = "being deleted"

// stepOf returns what a node does in its update. If the daemon has not begun the next step, it says so:
// for example, the daemon looks every ten seconds whether its node is drained.
func stepOf(n cluster.Node) string {
	isNext := func(s mco.Step) bool { return s.Phase == n.Step && s.State == mco.ToDo }
	switch {
	case n.NotStarted():
		return "not started"
	case !n.Back.IsZero():
		return "rebooted"
	case slices.ContainsFunc(n.Steps, isNext) && slices.ContainsFunc(n.Steps, func(s mco.Step) bool { return s.State == mco.Finished }):
		return "before " + verb(n.Step)
	}
	return verb(n.Step)
}

// verb returns a verb for the work of a node in a phase, for example "draining" for Drained. For a
// phase without a verb, it returns "updating".
func verb(p phases.Phase) string { return cmp.Or(phasetable.Of(p).Doing, "updating") }
