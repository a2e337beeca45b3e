package screen

import (
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// legend explains the signs of the screen so far, and says which nodes are known from one witness only. It also names the
// command that shows details of one node: of a node with an entry or, if there is none, of an updating node.
func legend(screen []Line, c cluster.Cluster, o Options) []Line {
	missing, shown, rank := 0, "", 0
	for _, p := range c.Pools {
		if !p.Partial {
			missing += p.Missing
		}
		for _, n := range append(p.StuckNodes(), p.Nodes...) { // the first entry is that of the first stuck node
			of := map[cluster.State]int{cluster.Updating: 1, cluster.Stuck: 3}[n.State]
			if isSlow(n) {
				of = 2
			}
			if of > rank {
				shown, rank = Clean(n.Name), of
			}
		}
	}
	meaning := "# done, > running, . to come, - skipped"
	if rank == 3 {
		meaning += ", ! stuck"
	}
	if slices.ContainsFunc(screen, func(l Line) bool { return strings.HasPrefix(l.Text, "~ ") }) {
		meaning += ", ~ does not stop the rollout"
	}
	ls := []Line{{}}
	add := func(is bool, text string) {
		if is {
			ls = append(ls, wrapped(Plain, "", "", text, o.Width)...)
		}
	}
	add(rank > 0, meaning)
	add(missing > 0 && !hasNoObjects(c.Pools), nodes(missing)+" known only from the status of the pool")
	add(c.WithoutNode > 0, nodes(c.WithoutNode)+" known only from MachineConfigNodes: NotReady and cordoned are not known")
	add(rank > 0, "kubectl mcn node "+shown+" shows details")
	if len(ls) == 1 {
		return nil
	}
	return ls
}
