package screen

import (
	"strconv"
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// NotFound is what kubectl prints where there is nothing to show.
const NotFound = "No resources found"

// Snapshot returns the screen of a rollout, from the top: a summary in one line, a row for each
// pool, what is wrong with pools and nodes and what to do next, and the nodes that are updating.
func Snapshot(pools []progress.Pool, o Options) []Line {
	screen := append(title(pools, o), Line{})
	if len(pools) == 0 {
		return fit(append(screen, wrapped(Plain, "", NotFound, o.Width)...), o)
	}
	screen = append(screen, poolTable(pools, o)...)
	screen = append(screen, unreported(pools, o)...)
	for _, p := range pools {
		for _, problem := range ofPool(p, o) {
			screen = append(screen, problem.draw(o)...)
		}
	}
	screen = append(screen, stuckNodes(pools, o)...)
	screen = append(screen, pinnedImageSets(pools, o)...)
	screen = append(screen, nodeRows(pools, o, o.Height-len(screen)-4)...)
	screen = append(screen, legend(pools, o)...)
	return fit(screen, o)
}

// unreported says that no node of any pool has a MachineConfigNode.
func unreported(pools []progress.Pool, o Options) []Line {
	total := 0
	for _, p := range pools {
		if total += p.Total(); p.Missing < p.Total() {
			return nil
		}
	}
	if total == 0 {
		return nil
	}
	none := Problem{Subject: nodes(total), What: "the cluster has no MachineConfigNodes", Next: "oc get machineconfignodes", Tone: Alarm}
	if o.Origin != "" {
		none.What, none.Next = "there are no MachineConfigNodes in "+clean(o.Origin), "oc adm inspect machineconfignodes.machineconfiguration.openshift.io"
	}
	return none.draw(o)
}

// title summarizes the rollout.
func title(pools []progress.Pool, o Options) []Line {
	var sum progress.Pool
	for _, p := range pools {
		sum.Done += p.Done
		sum.Updating += p.Updating
		sum.Stuck += p.Stuck
		sum.Waiting += p.Waiting
		sum.Unreported += p.Unreported
	}
	ls := lines(Plain, Moment(o)+"  "+Counts(sum))
	if o.Width > 0 && Width(ls[0].Text) > o.Width {
		ls = append(wrapped(Plain, "  ", Moment(o), o.Width), wrapped(Plain, "  ", Counts(sum), o.Width)...)
	}
	if !o.LastContact.IsZero() {
		ls = append(ls, wrapped(Alarm, "  ", "no answer from the server since "+clockTime(o.LastContact, o.Now)+", reconnecting", o.Width)...)
	}
	if o.Health != "" {
		ls = append(ls, wrapped(Alarm, "  ", o.Health, o.Width)...)
	}
	if o.Note != "" {
		ls = append(ls, wrapped(Plain, "  ", o.Note, o.Width)...)
	}
	return ls
}

// Counts returns how many nodes a pool has, and how many in each state.
func Counts(p progress.Pool) string {
	parts := stateCounts(p)
	if len(parts) == 0 {
		return nodes(p.Total())
	}
	return nodes(p.Total()) + ": " + strings.Join(parts, ", ")
}

func stateCounts(p progress.Pool) (parts []string) {
	for _, s := range []struct {
		n    int
		name string
	}{{p.Done, "done"}, {p.Updating, "updating"}, {p.Stuck, "stuck"}, {p.Waiting, "waiting"}, {p.Unreported, "unreported"}} {
		if s.n > 0 {
			parts = append(parts, strconv.Itoa(s.n)+" "+s.name)
		}
	}
	return parts
}

// legend explains the signs, and names the command for one node: a stuck one, else one that is slow or updating.
func legend(pools []progress.Pool, o Options) []Line {
	name, rank, text := "", 0, "# done  > running  . to come  - skipped"
	for _, p := range pools {
		for _, n := range append(p.StuckNodes(), p.Nodes...) {
			r := 0
			switch {
			case o.Show != nil && !o.Show(n):
			case n.State == progress.Stuck && n.InUpdate():
				r = 3
			case n.State == progress.Stuck || n.Slow:
				r = 2
			case n.State == progress.Updating:
				r = 1
			}
			if r > 0 && n.Slow && !strings.HasSuffix(text, "slow") {
				text += "  ~ slow"
			}
			if r > rank {
				name, rank = n.Name, r
			}
		}
	}
	if name == "" {
		return nil
	}
	more := "kubectl mcn node " + clean(name) + " shows details"
	if o.Width <= 0 || Width(text)+3+Width(more) <= o.Width {
		return lines(Plain, "", text+"   "+more)
	}
	return append(lines(Plain, append([]string{""}, headline(text, o.Width)...)...), wrapped(Plain, "", more, o.Width)...)
}
