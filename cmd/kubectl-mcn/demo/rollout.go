package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// event is a report of a daemon, or the order of an update.
type event struct {
	at     time.Duration // from the begin of the rollout
	node   string
	report conditions.Report // without a phase: the order
}

// steps are those of a standard update with a reboot, and how long they take on average.
var steps = []struct {
	phase          phases.Phase
	begin, end     string
	took           time.Duration
	completeParent bool
}{
	{phases.UpdatePrepared, "Checking the config", "Update Compatible. Post Cfg Actions: [] Drain Required: true", 10 * time.Second, false},
	{phases.Cordoned, "Cordoning node", "Cordoned node", time.Second, false},
	{phases.Drained, "Draining node", "Drained node", time.Minute, false},
	{phases.AppliedFilesAndOS, "Applying files and new OS config to node", "Applied files and new OS config to node", 40 * time.Second, true},
	{phases.RebootedNode, "Node will reboot", "Node has rebooted", 80 * time.Second, false},
	{phases.Resumed, "Resuming normal operations", "Resumed normal operations", 10 * time.Second, false},
	{phases.Uncordoned, "Uncordoning node", "Uncordoned node", time.Second, true},
}

const drainFailed = `failed to drain node: error when evicting pods/"pdb-app-0" -n "shop": Cannot evict pod as it would violate the pod's disruption budget`

func rendered(pool string, version int) string {
	hash := sha256.Sum256(fmt.Append(nil, pool, version))
	return fmt.Sprintf("rendered-%s-%x", pool, hash[:16])
}

// nodesOf returns the objects of nodes that have the first config of their pools.
func nodesOf(n int) (all []*mcfgv1.MachineConfigNode, byName map[string]*mcfgv1.MachineConfigNode) {
	byName = map[string]*mcfgv1.MachineConfigNode{}
	for i := range n {
		poolName, number := pool.Master, i
		if i >= 3 {
			poolName, number = pool.Worker, i-3
		}
		mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", poolName, number), UID: types.UID(fmt.Sprint(i))}}
		mcn.Spec.Node.Name, mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired = mcn.Name, poolName, rendered(poolName, 1)
		mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: rendered(poolName, 1), Desired: rendered(poolName, 1)}
		event{report: conditions.Report{Phase: phases.Updated, Status: metav1.ConditionTrue}}.apply(mcn, time.Now().Add(-24*time.Hour))
		all, byName[mcn.Name] = append(all, mcn), mcn
	}
	return all, byName
}

// pools returns the pools of nodes, which have the second config to roll out: a quarter of the workers may be
// unavailable at a time, and one master.
func pools(nodes []*mcfgv1.MachineConfigNode) []*mcfgv1.MachineConfigPool {
	var all []*mcfgv1.MachineConfigPool
	for _, name := range []string{pool.Master, pool.Worker} {
		p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
		p.Spec.Configuration.Name = rendered(name, 2)
		if name == pool.Worker {
			quarter := intstr.FromString("25%")
			p.Spec.MaxUnavailable = &quarter
		}
		if slices.ContainsFunc(nodes, func(n *mcfgv1.MachineConfigNode) bool { return n.Spec.Pool.Name == name }) {
			all = append(all, p)
		}
	}
	return all
}

// rollout returns all events of a rollout in their order: the masters, then the workers. The drain of one node may
// fail.
func rollout(nodes []*mcfgv1.MachineConfigNode, failNode string) []event {
	var all []event
	var begin time.Duration
	for _, poolName := range []string{pool.Master, pool.Worker} {
		inPool := slices.DeleteFunc(slices.Clone(nodes), func(n *mcfgv1.MachineConfigNode) bool { return n.Spec.Pool.Name != poolName })
		places := 1
		if poolName == pool.Worker {
			places = max(1, len(inPool)/4)
		}
		free := slices.Repeat([]time.Duration{begin}, places) // when each place is
		for i, n := range inPool {
			if len(free) == 0 {
				break // all places are taken by nodes that have failed
			}
			slices.Sort(free)
			events, ok := update(n.Name, free[0], rand.New(rand.NewPCG(1, uint64(i))), n.Name == failNode)
			all = append(all, events...)
			if free[0] = events[len(events)-1].at; !ok {
				free = free[1:]
			}
		}
		if len(free) < places && poolName == pool.Master {
			break
		}
		begin = slices.Max(append(free, begin))
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return all
}

// update returns the events of the update of a node, and whether it has not failed.
func update(node string, at time.Duration, random *rand.Rand, fails bool) ([]event, bool) {
	all := []event{{at: at, node: node}}
	add := func(p phases.Phase, status metav1.ConditionStatus, message string, completesParent bool) {
		all = append(all, event{at, node, conditions.Report{Phase: p, Status: status, Reason: string(p), Message: message, CompletesParent: completesParent}})
	}
	add(phases.Updated, metav1.ConditionFalse, "Node "+node+" needs an update", false)
	for _, s := range steps {
		add(s.phase, metav1.ConditionUnknown, s.begin, false)
		at += time.Duration(float64(s.took) * (0.4 + 1.2*random.Float64()))
		if s.phase == phases.Drained && fails {
			add(phases.NodeDegraded, metav1.ConditionTrue, "Node "+node+" upgrade failure. "+drainFailed, false)
			return all, false
		}
		add(s.phase, metav1.ConditionTrue, s.end, s.completeParent)
	}
	add(phases.Updated, metav1.ConditionTrue, "Node "+node+" Updated", false)
	return all, true
}

// apply changes the object of a node.
func (e event) apply(mcn *mcfgv1.MachineConfigNode, at time.Time) {
	version := mcn.Status.ConfigVersion
	stamp := metav1.NewTime(at.Truncate(time.Second))
	if e.report.Phase == "" {
		mcn.Spec.ConfigVersion.Desired = rendered(mcn.Spec.Pool.Name, 2)
		mcn.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &stamp, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
		return
	}
	e.report.Time = stamp
	lists, err := conditions.Next(mcn.Status.Conditions, false, e.report, conditions.Cycle{
		Name: mcn.Spec.ConfigVersion.Desired, NewTarget: version.Desired != mcn.Spec.ConfigVersion.Desired,
	})
	if err == nil && len(lists) > 0 {
		mcn.Status.Conditions = lists[len(lists)-1]
	}
	switch {
	case e.report.Phase == phases.UpdatePrepared && e.report.Status == metav1.ConditionTrue:
		version.Desired = mcn.Spec.ConfigVersion.Desired
	case e.report.Phase == phases.Updated && e.report.Status == metav1.ConditionTrue:
		version.Current = mcn.Spec.ConfigVersion.Desired
	}
}
