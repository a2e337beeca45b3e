package cluster

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// census says which Nodes of a dump are missing. The status of a pool is a witness of its own pool only: a count
// that is out of date, for example of a pool that its last node has left, does not make another pool incomplete.
type census struct {
	hasNodes bool                // there are Nodes, and all of them, or the pools count their machines
	absent   map[string]int      // for each pool, the number of its machines without a Node
	moved    map[string][]string // the nodes that have left a pool whose status still counts them
}

// count compares the Nodes of each pool with the machines in its status. byPool has the nodes with a Node. If no
// status counts machines, nobody knows which Nodes are missing.
func (o Objects) count(byPool map[string][]Node) census {
	hasNode := func(n Node) bool { return n.kube != nil }
	c := census{absent: map[string]int{}, moved: map[string][]string{}, hasNodes: slices.ContainsFunc(o.Nodes, hasNode)}
	if o.HasNodes {
		return c
	}
	machines := 0
	for _, p := range o.Pools {
		machines += int(p.Status.MachineCount)
		absent := int(p.Status.MachineCount) - len(byPool[p.Name])
		if absent > 0 {
			c.moved[p.Name] = movedFrom(p, byPool)
		}
		c.absent[p.Name] = max(0, absent-len(c.moved[p.Name]))
	}
	c.hasNodes = c.hasNodes && machines > 0
	return c
}

// movedFrom returns the nodes of other pools that run a config of a pool, or are told to: they have just left it.
func movedFrom(p *mcfgv1.MachineConfigPool, byPool map[string][]Node) (names []string) {
	isOf := func(config string) bool {
		return config != "" && (config == p.Spec.Configuration.Name || config == p.Status.Configuration.Name)
	}
	for name, nodes := range byPool {
		for _, n := range nodes {
			if name != p.Name && (isOf(n.Current.Config) || isOf(n.Desired.Config)) {
				names = append(names, n.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// isComplete reports whether all Nodes of a pool are known. Those of an unknown pool are if those of all pools are.
func (c census) isComplete(pool string) bool {
	absent, isKnown := c.absent[pool]
	for _, n := range c.absent {
		if !isKnown {
			absent += n
		}
	}
	return c.hasNodes && absent == 0
}
