package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// NotFound is the text that kubectl prints if there are no objects.
const NotFound = "No resources found"

// Snapshot returns the screen of a rollout. From top to bottom, it has a summary, a row for each
// pool, the problems of pools and nodes with the next commands, the nodes that are updating, and a
// legend.
func Snapshot(c cluster.Cluster, o Options) []Line {
	pools := c.Pools
	screen := append(title(pools, o), Line{})
	if len(pools) == 0 {
		return fit(append(screen, wrapped(Plain, "", "", NotFound, o.Width)...), o)
	}
	screen = slices.Concat(screen, poolTable(pools, o), changesAndPauses(pools, o), missingKinds(pools, o))
	var all []Problem
	for _, p := range pools {
		all = append(all, ofPool(p, o)...)
	}
	list := sections(pools, o)
	for _, same := range mco.Groups(all, func(p Problem) any { return p.cause }) {
		slices.SortStableFunc(same, func(a, b Problem) int { return cmp.Compare(b.Tone, a.Tone) })
		screen = append(screen, same[0].draw(o)...)
		for _, other := range same[1:] {
			screen = append(screen, wrapped(other.Tone, margin, margin, "the same: "+other.Subject+": "+other.What, o.Width)...)
		}
		isSame := func(p Problem) bool { return p.cause == same[0].cause }
		isOther := func(p Problem) bool { return !isSame(p) }
		for i, s := range list { // nodes of other pools
			if ofNodes := slices.DeleteFunc(slices.Clone(s.problems), isOther); len(ofNodes) > 0 {
				screen = append(screen, wrapped(Warn, margin, margin, "the same: "+o.same(same[0], ofNodes), o.Width)...)
				list[i].problems = slices.DeleteFunc(s.problems, isSame)
			}
		}
	}
	for _, s := range list {
		screen = append(screen, grouped(s.problems, s.more, o)...)
	}
	for _, problem := range OfOperator(pools, o) {
		screen = append(screen, problem.draw(o)...)
	}
	end := Outside(c, o)
	end = append(end, legend(append(screen, end...), c, o)...)
	screen = append(screen, nodeRows(pools, o, o.Height-len(screen)-len(end))...)
	return fit(append(screen, end...), o)
}

// Outside returns the nodes that several pools select, and a line for each kind of node that belongs to
// no pool.
func Outside(c cluster.Cluster, o Options) []Line {
	ls := grouped(OfConflicts(c), "~ %s more that several pools select: see kubectl mcn -o wide", o)
	if len(c.Unselected) > 0 {
		ls = append(ls, o.paragraph(Warn, "~ in no pool, so without updates: "+o.names(c.Unselected))...)
	}
	if len(c.Leftover) > 0 {
		ls = append(ls, o.paragraph(Plain, "left over, a MachineConfigNode that has no Node: "+o.names(c.Leftover))...)
	}
	return ls
}

// OfConflicts returns a problem for each node that several pools select.
func OfConflicts(c cluster.Cluster) (all []Problem) {
	for _, x := range c.Conflicts {
		effect := "stays in pool " + Clean(x.Pool)
		if x.Pool == "" {
			effect = "is in no pool, and not updated"
		}
		what := "the pools " + Clean(strings.Join(x.Pools, " and ")) + " select the node, so it " + effect
		all = append(all, Problem{Subject: Clean(x.Node), What: what, Next: nextFor(x.Node, showLabels), Tone: Warn, About: []string{x.Node}, cause: what})
	}
	return all
}

// hasNoObjects reports whether the numbers of all pools come from their status. Pools without
// machines do not matter.
func hasNoObjects(pools []cluster.Pool) bool {
	isFromStatus := func(p cluster.Pool) bool { return p.FromStatus }
	isOther := func(p cluster.Pool) bool { return p.Total() > 0 && !p.FromStatus }
	return slices.ContainsFunc(pools, isFromStatus) && !slices.ContainsFunc(pools, isOther)
}

// missingKinds returns a note if MachineConfigPools are missing, and another note if there are no
// MachineConfigNodes. A note says what the screen shows without these objects.
func missingKinds(pools []cluster.Pool, o Options) []Line {
	where, ls := "", []Line(nil)
	if o.Origin != "" {
		where = " in " + Clean(o.Origin)
	}
	say := func(text string) { ls = append(ls, o.paragraph(Warn, "~ "+text)...) }
	var unknown []string
	for _, p := range pools {
		if !p.Known {
			unknown = append(unknown, p.Name)
		}
	}
	switch {
	case len(unknown) == 0:
	case len(unknown) < len(pools):
		say("no MachineConfigPool " + o.names(unknown) + where + ": the target of its nodes is not known")
	default:
		say("no MachineConfigPools" + where + ": the target is not known, and no node counts as done. An idle node has its desired config.")
	}
	if !o.Older.IsZero() {
		say("the Nodes and the pools are of about " + clockTime(o.Older, o.Now) + ", and the MachineConfigNodes are newer: the states of nodes are from the MachineConfigNodes")
	}
	for _, p := range pools {
		its := "pool " + Clean(p.Name) + ": its status counts "
		if len(p.Moved) > 0 {
			say(its + "nodes that have left it: " + o.names(p.Moved))
		}
		if p.Partial {
			say(its + nodes(p.Missing) + " more than there are" + where + " (not in DONE)")
		}
	}
	hasObject := func(n cluster.Node) bool { return n.HasObject }
	isKnown := slices.ContainsFunc(pools, func(p cluster.Pool) bool { return slices.ContainsFunc(p.Nodes, hasObject) })
	switch {
	case hasNoObjects(pools):
		text := "no MachineConfigNodes" + where + ": DONE and STUCK are the updated and the degraded machines in the status of the pools"
		for _, p := range pools {
			if p.Unavailable > 0 {
				text += fmt.Sprintf("; in %s, %d of %d unavailable", Clean(p.Name), p.Unavailable, p.MaxUnavailable)
			}
		}
		say(text)
	case !isKnown && slices.ContainsFunc(pools, func(p cluster.Pool) bool { return len(p.Nodes) > 0 }):
		say("no MachineConfigNodes" + where + ": the states are from the annotations of the Nodes, which do not show all steps")
	}
	return ls
}
