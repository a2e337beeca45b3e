package screen

import (
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

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
			ls = append(ls, wrapped(Plain, "", "", text, o.Width)...)
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
