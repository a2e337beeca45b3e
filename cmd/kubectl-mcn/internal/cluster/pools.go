package cluster

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Pools returns the progress of each pool: master first, then the other pools by name. The names of
// pools must be unique, and so must the names of nodes.
//
//  1. A node is Done if it runs the config and the image of its pool's target. A node that runs its
//     desired config and image, but not the target, is Waiting.
//  2. A MachineConfigPool has no field for its image, so the target has the image that the nodes
//     desire. If the nodes desire different images, the target has the image of the node whose
//     update was requested last.
//  3. If a node's pool is not in pools, the result has a pool that is not Known and has no target.
//     If the nodes of this pool run their desired config and image, they are Idle, not Done.
//  4. A node is Stuck if it is degraded, or if its step takes longer than its limit (see Limits).
//     The time between the request and the start of an update counts as time at the first step. A
//     node is Slow if its step reports an error, or takes longer than a third of the limit.
//  5. A pool is Full if nodes are Waiting, MaxUnavailable is reached, and some unavailable nodes
//     are not Updating. A Full pool is Blocked if the unavailable nodes that are not Updating reach
//     MaxUnavailable, or if no node is Updating. A paused pool is never Full or Blocked.
//  6. MaxUnavailable is at least 1. A percentage refers to the number of machines in the pool's
//     status or, if there are more nodes than machines, to the number of nodes.
//  7. Remaining assumes that each update takes Typical, and that nodes are updated in groups that
//     are as large as MaxUnavailable allows. Remaining is nil if the durations of fewer than three
//     completed updates are known, if a node is Stuck or Slow, or if the pool is Paused or Blocked.
//  8. No duration is negative. The order of the arguments pools and nodes does not matter. Pools
//     does not change its arguments, but the result shares their memory.
func Pools(pools []*mcfgv1.MachineConfigPool, nodes []Node, now time.Time, limits Limits) []Pool {
	byPool := map[string][]Node{}
	for _, n := range nodes {
		byPool[n.Pool] = append(byPool[n.Pool], n)
	}
	result := []Pool{}
	add := func(p Pool, nodes []Node) {
		r := calculation{Pool: p, now: now, limits: limits}
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

// poolOf reads a MachineConfigPool. It also returns the passed nodes or, if there are no nodes, the
// degraded nodes that the pool's status names.
func poolOf(p *mcfgv1.MachineConfigPool, nodes []Node) (Pool, []Node) {
	status, config := p.Status, p.Spec.Configuration.Name
	machines := max(len(nodes), int(status.MachineCount))
	degraded := poolCondition(p, mcfgv1.MachineConfigPoolNodeDegraded)
	pool := Pool{
		Name:           p.Name,
		Known:          true,
		Target:         progress.Target{Config: config, Image: imageOf(config, nodes)},
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

// isReporting matches the part about one node in the message of a pool's condition NodeDegraded.
var isReporting = regexp.MustCompile(`Node (\S+) is reporting: ("(?:[^"\\]|\\.)*")`)

// reportedNodes returns the nodes that the message of a pool's condition NodeDegraded names.
func reportedNodes(pool string, degraded PoolCondition) []Node {
	var nodes []Node
	for _, m := range isReporting.FindAllStringSubmatch(degraded.Message, -1) {
		message, err := strconv.Unquote(m[2])
		isKnown := slices.ContainsFunc(nodes, func(n Node) bool { return n.Name == m[1] })
		if err == nil && !isKnown {
			nodes = append(nodes, Node{Node: progress.Node{Name: m[1], Pool: pool, Degraded: true, DegradedSince: degraded.Since, Message: message}})
		}
	}
	return nodes
}

// maxUnavailable returns the limit as a number of machines, or 1 if the limit is not set or
// invalid.
func maxUnavailable(limit *intstr.IntOrString, machines int) int {
	scaled, _ := intstr.GetScaledValueFromIntOrPercent(limit, machines, false) // 0 if there is an error
	return max(1, scaled)
}

// imageOf returns the image of a pool's target: the desired image of the nodes whose desired config
// is the pool's. While these nodes desire different images, the node whose update was requested
// last has the new image.
func imageOf(config string, nodes []Node) string {
	var newest *Node
	for i := range nodes {
		if n := &nodes[i]; n.Desired.Config == config && (newest == nil || isNewer(n, newest)) {
			newest = n
		}
	}
	if newest == nil {
		return ""
	}
	return newest.Desired.Image
}

// isNewer reports whether the update of a was requested after the update of b. If the times of the
// requests are equal or unknown, a node that does not run its desired target is newer. If both
// nodes run their desired targets, or neither node does, the node with the latest time (Requested,
// Started or Completed) is newer.
func isNewer(a, b *Node) bool {
	if !a.Requested.IsZero() && !b.Requested.IsZero() && !a.Requested.Equal(b.Requested) {
		return a.Requested.After(b.Requested)
	}
	if a.hasDesired() != b.hasDesired() {
		return !a.hasDesired()
	}
	if aEnd, bEnd := later(later(a.Started, a.Completed), a.Requested), later(later(b.Started, b.Completed), b.Requested); !aEnd.Equal(bEnd) {
		return aEnd.After(bEnd)
	}
	return a.Desired.Image > b.Desired.Image
}
