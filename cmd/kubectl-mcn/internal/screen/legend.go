package screen

import (
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// legend explains the signs of the screen so far, and says which nodes are known from one witness only. It also names the
// command that shows details of one node: of a node with an entry or, if there is none, of an updating node.
func legend(screen []Line, c cluster.Cluster, o Options) []Line {
	var stuck, slow, updating []string
	missing := 0
	for _, p := range c.Pools {
		if !p.Partial {
			missing += p.Missing
		}
		for _, n := range p.StuckNodes() {
			stuck = append(stuck, n.Name)
		}
		for _, n := range p.Nodes {
			switch {
			case n.State != cluster.Stuck && (n.Slow || n.OffTarget):
				slow = append(slow, n.Name)
			case n.State == cluster.Updating:
				updating = append(updating, n.Name)
			}
		}
	}
	shown := append(append(stuck, slow...), updating...)
	signs := "# done, > running, . to come, - skipped"
	if len(stuck) > 0 {
		signs += ", ! stuck"
	}
	if slices.ContainsFunc(screen, func(l Line) bool { return strings.HasPrefix(l.Text, "~ ") }) {
		signs += ", ~ does not stop the rollout"
	}
	ls := []Line{{}}
	add := func(is bool, text string) {
		if is {
			ls = append(ls, wrapped(Plain, "", "", text, o.Width)...)
		}
	}
	add(len(shown) > 0, signs)
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
