package cluster

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// Objects are the objects of a cluster.
type Objects struct {
	// Pools and Nodes are in any order. Their names are unique.
	Pools []*mcfgv1.MachineConfigPool
	Nodes []Node
	// HasNodes is set if all Nodes could be read. If it is not set, the Nodes of a pool are complete if there
	// are as many as the pool has machines.
	HasNodes bool
	Facts
}

// Cluster is the progress of all pools of a cluster.
type Cluster struct {
	// Pools has master first, then the other pools by name.
	Pools []Pool
	// Leftover has the names of the MachineConfigNodes that have no Node.
	Leftover []string
	// Unselected has the names of the nodes that no pool selects. They get no updates.
	Unselected []string
	// Conflicts has the nodes that several pools select, sorted by name.
	Conflicts []Conflict
	// WithoutNode is the number of nodes whose Nodes are not known.
	WithoutNode int
}

// Conflict is a node that two custom pools, or a custom pool and master or arbiter, select.
type Conflict struct {
	Node  string
	Pools []string
	// Pool is master, or "" if machine-config-operator leaves the node out of all pools.
	Pool string
}

// Of returns the progress of the pools of a cluster at the time now.
//
//  1. If the Nodes of its pool are complete, a MachineConfigNode without a Node is Leftover, and belongs
//     to no pool. A Windows node belongs to no pool either.
//  2. The selectors of the pools decide to which pool a node belongs. If its Node or the selectors
//     are not known, the spec of its MachineConfigNode decides.
//  3. If a node's pool is not in o.Pools, the result has a pool that is not Known and has no target.
//     If the nodes of this pool run their desired config and image, they are Idle, not Done.
//  4. No duration is negative. The order of pools and nodes does not matter. Of does not change its
//     arguments, but the result shares their memory.
func Of(o Objects, now time.Time) Cluster {
	o.Pools = slices.DeleteFunc(slices.Clone(o.Pools), func(p *mcfgv1.MachineConfigPool) bool { return p == nil })
	result := Cluster{Pools: []Pool{}}
	byPool := map[string][]Node{}
	hasNode := func(n Node) bool { return n.kube != nil }
	for _, n := range o.Nodes {
		selected, conflict := o.selecting(n)
		if conflict != nil {
			result.Conflicts = append(result.Conflicts, *conflict)
		}
		switch {
		case conflict != nil && conflict.Pool == "", !hasNode(n):
		case nodemeta.IsWindows(n.kube):
		case o.place(&n, selected):
			byPool[n.Pool] = append(byPool[n.Pool], n)
		case o.isUnselected(n):
			result.Unselected = append(result.Unselected, n.Name)
		}
	}
	known := o.count(byPool)
	for _, n := range o.Nodes {
		switch {
		case hasNode(n):
		case known.isComplete(n.Pool):
			result.Leftover = append(result.Leftover, n.Name)
		case o.place(&n, nil):
			byPool[n.Pool] = append(byPool[n.Pool], n)
			result.WithoutNode++
		default: // its MachineConfigNode names no pool
			result.Unselected = append(result.Unselected, n.Name)
		}
	}
	add := func(p Pool, nodes []Node) {
		c := calculation{Pool: p, now: now}
		c.add(nodes)
		result.Pools = append(result.Pools, c.Pool)
	}
	for _, p := range o.Pools {
		add(newPool(p, byPool[p.Name], o, known))
		delete(byPool, p.Name)
	}
	for name, nodes := range byPool {
		add(Pool{Name: name}, nodes)
	}
	rank := map[string]int{nodemeta.Master: -1}
	slices.SortFunc(result.Pools, func(a, b Pool) int {
		return cmp.Or(rank[a.Name]-rank[b.Name], cmp.Compare(a.Name, b.Name))
	})
	holdArbiter(result.Pools)
	slices.Sort(result.Leftover)
	slices.Sort(result.Unselected)
	slices.SortFunc(result.Conflicts, func(a, b Conflict) int { return cmp.Compare(a.Node, b.Node) })
	return result
}

// holdArbiter sets WaitsFor of the pools Master and Arbiter of a cluster with an arbiter. No master
// starts while an arbiter is unavailable. An arbiter starts only if all masters are available, and no
// master can start.
func holdArbiter(pools []Pool) {
	at := func(name string) int { return slices.IndexFunc(pools, func(p Pool) bool { return p.Name == name }) }
	a, m := at(nodemeta.Arbiter), at(nodemeta.Master)
	if a < 0 || m < 0 {
		return
	}
	master, arbiter := pools[m], pools[a]
	hasCandidate := !master.Paused && master.Taken < master.MaxUnavailable && master.Waiting > 0
	isHeld := func(p Pool) bool { return p.Waiting > 0 && !p.Paused }
	if isHeld(master) && arbiter.hasUnavailable() {
		pools[m].WaitsFor, pools[m].Stalled = &arbiter, false
		hasCandidate = false
	}
	if isHeld(arbiter) && (master.hasUnavailable() || hasCandidate) {
		pools[a].WaitsFor, pools[a].Stalled = &master, false
	}
}

// selecting returns the pool that selects a node, or nil, and the conflict of the pools that select it, or nil.
func (o Objects) selecting(n Node) (selected *mcfgv1.MachineConfigPool, c *Conflict) {
	if n.kube == nil {
		return nil, nil
	}
	selected, err := pool.Primary(n.kube, o.Pools)
	if conflict, ok := errors.AsType[*pool.ConflictError](err); ok {
		return nil, &Conflict{Node: n.Name, Pools: conflict.Pools}
	}
	if selected != nil && selected.Name == nodemeta.Master {
		isStandard := func(p *mcfgv1.MachineConfigPool) bool { return p.Name == nodemeta.Master || p.Name == nodemeta.Worker }
		if other, _ := pool.Primary(n.kube, slices.DeleteFunc(slices.Clone(o.Pools), isStandard)); other != nil {
			c = &Conflict{Node: n.Name, Pools: []string{nodemeta.Master, other.Name}, Pool: nodemeta.Master}
		}
	}
	return selected, c
}

// place sets the field Pool of a node. selected is the pool that selects the node, or nil. It returns false if
// the node is in no pool.
func (o Objects) place(n *Node, selected *mcfgv1.MachineConfigPool) bool {
	isInSpec := (n.kube == nil || n.HasObject) && (n.Pool == "" || nodemeta.IsSet(n.Pool))
	if n.kube == nil || len(n.kube.Labels) == 0 {
		return isInSpec
	}
	if selected != nil {
		n.Pool = cmp.Or(o.missingPool(n, selected.Name), selected.Name)
		return true
	}
	return isInSpec && !o.hasSelector(n.Pool)
}

// missingPool returns the name of a node's custom pool if a dump lacks this pool, and otherwise "".
// Without the custom pool, the pool worker selects the Node, although the Node has the role and a
// config of the custom pool.
func (o Objects) missingPool(n *Node, selected string) string {
	if o.HasNodes || selected != nodemeta.Worker {
		return ""
	}
	for label := range n.kube.Labels {
		role := strings.TrimPrefix(label, "node-role.kubernetes.io/")
		isPool := func(p *mcfgv1.MachineConfigPool) bool { return p.Name == role }
		if poolOf(n.Desired.Config) == role && !slices.ContainsFunc(o.Pools, isPool) {
			return role
		}
	}
	return ""
}

// hasSelector reports whether a pool is known and has a nodeSelector. In a dump, the selectors may
// have been left out.
func (o Objects) hasSelector(name string) bool {
	return slices.ContainsFunc(o.Pools, func(p *mcfgv1.MachineConfigPool) bool {
		s := p.Spec.NodeSelector
		return p.Name == name && s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
	})
}

// isUnselected reports whether no pool of the cluster selects a node. A dump may lack pools, so the
// result is false for a node with a role that has a pool in every cluster.
func (o Objects) isUnselected(n Node) bool {
	for _, role := range []string{"master", "control-plane", "arbiter", "worker"} {
		if _, has := n.kube.Labels["node-role.kubernetes.io/"+role]; has {
			return false
		}
	}
	return slices.ContainsFunc(o.Pools, func(p *mcfgv1.MachineConfigPool) bool { return o.hasSelector(p.Name) })
}
