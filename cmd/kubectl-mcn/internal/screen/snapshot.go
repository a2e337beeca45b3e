package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
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
		return fit(append(screen, wrapped(Plain, "", NotFound, o.Width)...), o)
	}
	screen = append(screen, poolTable(pools, o)...)
	screen = append(screen, changes(pools, o)...)
	screen = append(screen, missingKinds(pools, o)...)
	for _, problem := range OfOperator(o) {
		screen = append(screen, problem.draw(o)...)
	}
	for _, p := range pools {
		for _, problem := range ofPool(p, o) {
			screen = append(screen, problem.draw(o)...)
		}
	}
	for _, s := range sections(pools, o) {
		screen = append(screen, grouped(s.problems, s.more, o)...)
	}
	end := append(Outside(c, o), legend(c, o)...)
	screen = append(screen, nodeRows(pools, o, o.Height-len(screen)-len(end)-2)...)
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
		what := "the pools " + Clean(strings.Join(x.Pools, " and ")) + " select the node, so "
		if x.Pool == "" {
			what += "it is in no pool, and not updated"
		} else {
			what += "it stays in pool " + Clean(x.Pool)
		}
		all = append(all, Problem{Subject: Clean(x.Node), What: what, Next: nextFor(x.Node, showLabels), Tone: Warn, About: []string{x.Node}, cause: what})
	}
	return all
}

// hasNoObjects reports whether the numbers of all pools come from their status. Pools without
// machines do not matter.
func hasNoObjects(pools []cluster.Pool) bool {
	has := false
	for _, p := range pools {
		if p.Total() > 0 && !p.FromStatus {
			return false
		}
		has = has || p.FromStatus
	}
	return has
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

func title(pools []cluster.Pool, o Options) []Line {
	sum := cluster.Pool{FromStatus: hasNoObjects(pools)}
	for _, p := range pools {
		sum.Done += p.Done
		sum.Updating += p.Updating
		sum.Stuck += p.Stuck
		sum.Waiting += p.Waiting
		sum.Idle += p.Idle
		sum.Unreported += p.Unreported
	}
	ls := lines(Plain, moment(o)+"  "+counts(sum))
	if o.Width > 0 && Width(ls[0].Text) > o.Width {
		ls = append(wrapped(Plain, "  ", moment(o), o.Width), wrapped(Plain, "  ", counts(sum), o.Width)...)
	}
	add := func(tone Tone, is bool, text string) {
		if is {
			ls = append(ls, wrapped(tone, "  ", text, o.Width)...)
		}
	}
	versions := o.versions(pools)
	add(Plain, versions != "", "OpenShift "+versions)
	notYet := o.notYet(pools)
	add(Plain, notYet != "", notYet)
	add(Alarm, !o.LastContact.IsZero(), "no response from the server since "+clockTime(o.LastContact, o.Now)+", reconnecting")
	add(Alarm, o.Health != "", o.Health)
	return ls
}

// versions returns the old and the new OpenShift version of the update. If the pools differ, it
// lists the versions of each pool.
func (o Options) versions(pools []cluster.Pool) string {
	var named, distinct []string
	for _, p := range pools {
		text, from := o.Configs[p.Target.Config].Release, ""
		if text == "" {
			continue
		}
		for _, n := range p.Nodes {
			if release := o.Configs[n.Current.Config].Release; release != "" && release != text {
				from = release + " -> "
			}
		}
		text = from + text
		named = append(named, p.Name+" "+text)
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	if len(distinct) > 1 {
		distinct = named
	}
	return Clean(strings.Join(distinct, ", "))
}

// counts returns the number of a pool's nodes, in total and in each state.
func counts(p cluster.Pool) string {
	return strings.TrimSuffix(nodes(p.Total())+": "+strings.Join(stateCounts(p), ", "), ": ")
}

func stateCounts(p cluster.Pool) (parts []string) {
	unreported := "unreported"
	if p.FromStatus {
		unreported = "not updated"
	}
	for _, s := range []struct {
		n    int
		name string
	}{{p.Done, "done"}, {p.Updating, "updating"}, {p.Stuck, "stuck"}, {p.Waiting, "waiting"}, {p.Idle, "idle"}, {p.Unreported, unreported}} {
		if s.n > 0 {
			parts = append(parts, strconv.Itoa(s.n)+" "+s.name)
		}
	}
	return parts
}

// OfOperator returns the problems of the ClusterOperator machine-config.
func OfOperator(o Options) []Problem {
	var all []Problem
	for _, c := range o.Operator {
		problem := Problem{
			Since: c.Since, Subject: "cluster operator machine-config", What: "degraded" + sinceText(c.Since, o.Now), Message: c.Message,
			Next: []string{"oc describe clusteroperator machine-config"}, Tone: Warn,
		}
		if c.Type == "Available" {
			problem.What, problem.Tone = "unavailable"+sinceText(c.Since, o.Now), Alarm
		}
		all = append(all, problem)
	}
	return all
}

// notYet says that the cluster is still being updated, although all pools are done.
func (o Options) notYet(pools []cluster.Pool) string {
	isOpen := func(p cluster.Pool) bool { return !p.IsDone() }
	if !o.Version.IsUpdating || slices.ContainsFunc(pools, isOpen) {
		return ""
	}
	return "done, but the cluster is on its way to " + Clean(o.Version.Desired) + sinceText(o.Version.Since, o.Now)
}

// changes returns a line for each pool whose target has other MachineConfigs than its last target, for example
// "worker: +99-worker-chrony -98-worker-old".
func changes(pools []cluster.Pool, o Options) (ls []Line) {
	for _, p := range pools {
		if text := Clean(p.Changes()); text != "" {
			ls = append(ls, wrapped(Plain, margin, Clean(p.Name)+": "+text, o.Width)...)
		}
	}
	if len(ls) > 0 {
		ls = append([]Line{{}}, ls...)
	}
	return ls
}

// meanings explains the values of the column LEFT. The field left is a value or its first
// character.
var meanings = []struct{ left, text string }{
	{"~", "LEFT is TYPICAL (the median time of an update) times the groups to come."},
	{"?", "LEFT is ? while a node is stuck, slow or failing."},
	{"blocked", "LEFT is blocked: maxUnavailable nodes are unavailable, but not updating."},
	{"stalled", "LEFT is stalled: nodes wait, and no node is updating."},
	{"paused", "LEFT is paused: no node starts before the pool is unpaused."},
}

// legend explains the columns and signs of an unfinished rollout. It also names the command that
// shows details of one node. A stuck node is preferred, then a slow node, then an updating node.
func legend(c cluster.Cluster, o Options) []Line {
	var stuck, slow, updating []string
	missing, isEarly, left := 0, false, map[string]bool{}
	for _, p := range c.Pools {
		missing += p.Missing
		if text := leftText(p); strings.HasPrefix(text, "~") {
			left["~"] = true
		} else if p.Known && text != "-" || p.Updating+p.Waiting > 0 && p.Build == nil {
			left[text] = true
			isEarly = isEarly || text == "-" && p.Done < cluster.MinDone
		}
		for _, n := range p.StuckNodes() {
			stuck = append(stuck, n.Name)
		}
		for _, n := range p.Nodes {
			switch {
			case n.Slow:
				slow = append(slow, n.Name)
			case n.State == cluster.Updating:
				updating = append(updating, n.Name)
			}
		}
	}
	ls := []Line{{}}
	add := func(is bool, text string) {
		if is {
			ls = append(ls, wrapped(Plain, "", text, o.Width)...)
		}
	}
	signs := "# done, > running, . to come, - skipped"
	if len(stuck) > 0 {
		signs += ", ! stuck"
	}
	if len(slow) > 0 {
		signs += ", ~ slow or failing"
	}
	shown := slices.Concat(stuck, slow, updating)
	add(len(shown) > 0, signs)
	for _, m := range meanings {
		add(left[m.left], m.text)
	}
	add(isEarly && !o.NoManagedFields, "LEFT is known once three nodes are done.")
	add(left["-"] && o.NoManagedFields, "TYPICAL and LEFT need managed fields: oc get ... --show-managed-fields -o yaml")
	add(missing > 0 && !hasNoObjects(c.Pools), nodes(missing)+" known only from the status of the pool")
	add(c.WithoutNode > 0 && o.Origin != "", nodes(c.WithoutNode)+" known only from MachineConfigNodes: NotReady and cordoned are not known")
	if len(shown) > 0 {
		add(true, "kubectl mcn node "+Clean(shown[0])+" shows details")
	}
	if len(ls) == 1 {
		return nil
	}
	return ls
}
