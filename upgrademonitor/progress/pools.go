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
//  1. A node is Done when it has the config and the image of its pool's target. One that has what it
//     desires, but not the target, is Waiting.
//  2. No field of a pool contains its image. While nodes desire different ones, the target is that of
//     the node that was ordered last.
//  3. Nodes of a pool that is not passed form a pool without a target, a limit and an estimate:
//     they are Done when they have what they desire.
//  4. A node is Stuck if it is degraded, or its step takes longer than the Limits allow: also one whose
//     update was ordered that long ago and has not begun. It is Slow if its step takes longer than 10
//     minutes and 3 times the median of at least 3 other nodes of this rollout.
//  5. A pool is Blocked when nodes wait and the stuck ones take all of MaxUnavailable, or when none is
//     being updated and the unavailable ones do; unless it is paused. MaxUnavailable is at least 1. A
//     percentage is that of the machines that the pool's status counts, or of its nodes if these are
//     more.
//  6. Remaining assumes that each node takes Typical, that MaxUnavailable are updated at a time, and that
//     stuck nodes stay stuck. It is known once three nodes have finished, while the pool is not
//     paused and not all remaining nodes are stuck, blocked or Unreported.
//  7. No duration is negative, and the order of pools and nodes does not matter. The arguments are
//     not changed, but the result shares their memory.
func Pools(pools []*mcfgv1.MachineConfigPool, nodes []Node, history *History, now time.Time, limits Limits) []Pool {
	byPool := map[string][]Node{}
	for _, n := range nodes {
		byPool[n.Pool] = append(byPool[n.Pool], n)
	}
	var all []rollout
	for _, p := range pools {
		if p != nil {
			all = append(all, rollout{pool: poolOf(p, byPool[p.Name]), known: true})
		}
	}
	slices.SortFunc(all, compareRollouts)
	all = slices.CompactFunc(all, func(a, b rollout) bool { return a.pool.Name == b.pool.Name })
	for name := range byPool {
		if !slices.ContainsFunc(all, func(r rollout) bool { return r.pool.Name == name }) {
			all = append(all, rollout{pool: Pool{Name: name}})
		}
	}
	slices.SortFunc(all, compareRollouts)
	result := make([]Pool, 0, len(all))
	for i := range all {
		r := &all[i]
		r.history, r.now, r.limits = history, now, limits
		r.add(byPool[r.pool.Name])
		r.estimate()
		result = append(result, r.pool)
	}
	return result
}

// poolOf reads a MachineConfigPool with these nodes.
func poolOf(p *mcfgv1.MachineConfigPool, nodes []Node) Pool {
	machines := max(len(nodes), int(p.Status.MachineCount))
	missing := machines - len(nodes)
	config := p.Spec.Configuration.Name
	return Pool{
		Name:           p.Name,
		Target:         Target{Config: config, Image: imageOf(config, nodes)},
		Paused:         p.Spec.Paused,
		MaxUnavailable: maxUnavailable(p.Spec.MaxUnavailable, machines),
		Unavailable:    max(0, int(p.Status.UnavailableMachineCount)),
		Missing:        missing,
		Unreported:     missing,
		Problems:       problemsOf(p, nodes),
		Build:          buildOf(p),
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

func compareRollouts(x, y rollout) int {
	a, b := x.pool, y.pool
	return cmp.Or(
		compareBools(b.Name == "master", a.Name == "master"),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Target.Config, b.Target.Config),
		cmp.Compare(a.MaxUnavailable, b.MaxUnavailable),
		cmp.Compare(a.Missing, b.Missing),
		compareBools(a.Paused, b.Paused),
	)
}
