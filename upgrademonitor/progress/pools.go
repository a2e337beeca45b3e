package progress

import (
	"cmp"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pools returns the rollout of each pool: master first, the others by name. The history may be nil.
// It adds what the objects have lost: the steps of finished updates, the error of a step whose next
// attempt has overwritten it, and since when a node is degraded whose daemon reports it repeatedly.
//
//  1. A node is Done when it has its pool's target. One that has its desired config and image, but
//     not its pool's target, is Waiting.
//  2. Nodes of a pool that is not passed form a pool without a target, a limit and an estimate:
//     they are Done when they have their desired config and image.
//  3. A node is stuck if its step takes longer than the Limits allow, if it is degraded, or if its
//     update was ordered longer than Floor ago and has not begun.
//  4. A pool is Blocked when nodes wait and the stuck ones take all of MaxUnavailable, which is at
//     least 1. A percentage is that of the machines that the pool's status counts, or of its nodes if
//     these are more.
//  5. Left assumes that each node takes Typical, that MaxUnavailable are updated at a time, and that
//     stuck nodes stay stuck. It is known once three nodes have finished, while the pool is not
//     paused and not all remaining nodes are stuck, blocked, Unreported or Missing.
//  6. No duration is negative, and the order of pools and nodes does not matter. The arguments are
//     not changed, but the result shares their memory.
func Pools(pools []*mcfgv1.MachineConfigPool, nodes []Node, history *History, now time.Time, limits Limits) []Pool {
	limits = limits.withDefaults()
	byPool := map[string][]Node{}
	for _, n := range nodes {
		byPool[n.Pool] = append(byPool[n.Pool], n)
	}
	var all []Pool
	for _, p := range pools {
		if p != nil {
			all = append(all, poolOf(p, len(byPool[p.Name])))
		}
	}
	slices.SortFunc(all, comparePools)
	all = slices.CompactFunc(all, func(a, b Pool) bool { return a.Name == b.Name })
	known := map[string]bool{}
	for i := range all {
		known[all[i].Name] = true
	}
	for name := range byPool {
		if !known[name] {
			all = append(all, Pool{Name: name})
		}
	}
	slices.SortFunc(all, comparePools)
	for i := range all {
		r := rollout{pool: &all[i], known: known[all[i].Name], history: history, now: now, limits: limits}
		r.add(byPool[all[i].Name])
		r.judge()
	}
	return all
}

// poolOf reads a MachineConfigPool of which this number of nodes is known.
func poolOf(p *mcfgv1.MachineConfigPool, nodes int) Pool {
	machines := max(nodes, int(p.Status.MachineCount))
	return Pool{
		Name:           p.Name,
		Target:         p.Spec.Configuration.Name,
		Paused:         p.Spec.Paused,
		MaxUnavailable: maxUnavailable(p.Spec.MaxUnavailable, machines),
		Missing:        machines - nodes,
	}
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

func comparePools(a, b Pool) int {
	isMaster := func(p Pool) int {
		if p.Name == "master" {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(isMaster(a), isMaster(b)),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Target, b.Target),
		cmp.Compare(a.MaxUnavailable, b.MaxUnavailable),
		cmp.Compare(a.Missing, b.Missing),
		compareBools(a.Paused, b.Paused),
	)
}

func compareNodes(a, b Node) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.State, b.State),
		cmp.Compare(a.Desired, b.Desired),
		cmp.Compare(a.Current, b.Current),
		a.Since.Compare(b.Since),
		a.Ordered.Compare(b.Ordered),
		a.Ended.Compare(b.Ended),
		a.Degraded.Compare(b.Degraded),
		cmp.Compare(a.Step, b.Step),
		cmp.Compare(a.Why, b.Why),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
