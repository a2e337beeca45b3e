package progress

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pools returns the rollout of each pool: master first, the others by name. The names of the pools, and
// of the nodes, are unique.
//
//  1. A node is Done if it has the config and the image of its pool's target. A node that has what it
//     desires, but not the target, is Waiting.
//  2. No field of a pool contains its image. While nodes desire different images, the target is the
//     image of the node whose update was requested last.
//  3. The nodes of a pool that is not passed form a pool that is not Known, without a target: no node
//     is Done, and a node that has what it desires is Idle.
//  4. A node is Stuck if it is degraded, or if its step takes longer than the Limits allow, or if its
//     update was requested that long ago and has not started. It is Slow if its step reports an error,
//     or takes longer than a third of the limit.
//  5. A pool is Full if nodes wait while unavailable nodes take all of MaxUnavailable, and not all of
//     these are being updated. It is Blocked if the nodes that are not being updated take all places, or
//     if no node is being updated. A pool that is paused is neither. MaxUnavailable is at least 1. A
//     percentage refers to the machines that the pool's status counts, or to its nodes if these are more.
//  6. Remaining assumes that each node takes Typical, and that MaxUnavailable nodes are updated at a time.
//     It is known once three nodes have finished, while no node is stuck or slow, and the pool
//     is not paused or blocked.
//  7. No duration is negative, and the order of pools and nodes does not matter. The arguments are
//     not changed, but the result shares their memory.
func Pools(pools []*mcfgv1.MachineConfigPool, nodes []Node, now time.Time, limits Limits) []Pool {
	byPool := map[string][]Node{}
	for _, n := range nodes {
		byPool[n.Pool] = append(byPool[n.Pool], n)
	}
	result := []Pool{}
	add := func(p Pool, nodes []Node) {
		r := rollout{Pool: p, now: now, limits: limits}
		r.add(nodes)
		result = append(result, r.Pool)
	}
	for _, p := range pools {
		if p != nil {
			add(poolOf(p, byPool[p.Name]))
			delete(byPool, p.Name)
		}
	}
	for name, nodes := range byPool {
		add(Pool{Name: name}, nodes)
	}
	rank := map[string]int{"master": -1}
	slices.SortFunc(result, func(a, b Pool) int {
		return cmp.Or(rank[a.Name]-rank[b.Name], cmp.Compare(a.Name, b.Name))
	})
	return result
}

// poolOf reads a MachineConfigPool with these nodes. If there are none, it returns the nodes that the pool
// reports as degraded.
func poolOf(p *mcfgv1.MachineConfigPool, nodes []Node) (Pool, []Node) {
	status, config := p.Status, p.Spec.Configuration.Name
	machines := max(len(nodes), int(status.MachineCount))
	degraded := poolCondition(p, mcfgv1.MachineConfigPoolNodeDegraded)
	pool := Pool{
		Name:           p.Name,
		Known:          true,
		Target:         Target{Config: config, Image: imageOf(config, nodes)},
		Paused:         p.Spec.Paused,
		MaxUnavailable: maxUnavailable(p.Spec.MaxUnavailable, machines),
		Unavailable:    max(0, int(status.UnavailableMachineCount)),
		FromStatus:     len(nodes) == 0 && machines > 0,
		Build:          buildOf(p),
		isUpdated:      poolCondition(p, mcfgv1.MachineConfigPoolUpdated).Type != "" && status.Configuration.Name == config,
		degradedSince:  degraded.Since,
	}
	if pool.FromStatus {
		nodes = reportedNodes(p.Name, degraded)
		machines = max(machines, len(nodes))
		pool.Stuck = max(len(nodes), min(machines, int(status.DegradedMachineCount)))
		pool.Done = max(0, min(machines-pool.Stuck, int(status.UpdatedMachineCount)))
		pool.Unreported = machines - pool.Stuck - pool.Done
	}
	pool.Missing = machines - len(nodes)
	pool.Problems = problemsOf(p, nodes)
	return pool, nodes
}

// isReporting matches what NodeDegraded of a pool says of each node.
var isReporting = regexp.MustCompile(`Node (\S+) is reporting: ("(?:[^"\\]|\\.)*")`)

// reportedNodes returns the nodes that NodeDegraded of a pool names.
func reportedNodes(pool string, degraded PoolCondition) []Node {
	var nodes []Node
	for _, m := range isReporting.FindAllStringSubmatch(degraded.Message, -1) {
		message, err := strconv.Unquote(m[2])
		isKnown := slices.ContainsFunc(nodes, func(n Node) bool { return n.Name == m[1] })
		if err == nil && !isKnown {
			nodes = append(nodes, Node{Name: m[1], Pool: pool, State: Stuck, Degraded: true, DegradedSince: degraded.Since, Message: message})
		}
	}
	return nodes
}

// maxUnavailable returns how many of a pool's machines may be updated at a time: 1 if the limit is not
// set or invalid.
func maxUnavailable(limit *intstr.IntOrString, machines int) int {
	if limit == nil {
		return 1
	}
	scaled, err := intstr.GetScaledValueFromIntOrPercent(limit, machines, false)
	if err != nil {
		return 1
	}
	return max(1, scaled)
}
