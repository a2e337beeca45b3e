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

// event is a report of a daemon, or the request of an update.
type event struct {
	at     time.Duration // from the start of the rollout
	node   string
	report conditions.Report // without a phase: the request
}

// steps are the steps of an update with a reboot: what machine-config-operator reports, and how long they take on
// average.
var steps = []struct {
	phase          phases.Phase
	running, done  string
	took           time.Duration
	completeParent bool
}{
	{phases.UpdatePrepared, "Update is being prepared", "Update Compatible. Post Cfg Actions: [] Drain Required: true", 10 * time.Second, false},
	{phases.Cordoned, "Cordoning node", "Cordoned node. The node is reporting Unschedulable = true", time.Second, false},
	{phases.Drained, "Draining node." + untilDrained, "Drained node. The drain is complete as the desired drainer matches current drainer: drain-" + rendered(2), time.Minute, false},
	{phases.AppliedFilesAndOS, "Applying files and new OS config to node. OS will need an update. SSH Keys will not need an update",
		"Applied files and new OS config to node. OS did need an update. SSH Keys did not need an update", 40 * time.Second, true},
	{phases.RebootedNode, "Upgrade requires a reboot.", "Node has rebooted", 80 * time.Second, false},
	{phases.Resumed, "Resuming normal operations", "In desired config " + rendered(2) + ". Resumed normal operations.", 10 * time.Second, false},
	{phases.Uncordoned, "Uncordoning node", "UnCordoned node. The node is reporting Unschedulable = false", time.Second, true},
}

// The texts of a drain that fails: of the controller at once, and of the daemon after an hour.
var (
	untilDrained = " The drain will not be complete until desired drainer drain-" + rendered(2) + " matches current drainer uncordon-" + rendered(1)
	drainFailed  = `Error: Node Drain has not succeeded. Error is: error when evicting pods/"web-0" -n "shop": global timeout reached: 1m30s` + untilDrained
)

const degraded = "Node %[1]s upgrade failure. failed to drain node: %[1]s after 1 hour. Please see machine-config-controller logs for more information"

func rendered(version int) string {
	hash := sha256.Sum256(fmt.Append(nil, version))
	return fmt.Sprintf("rendered-worker-%x", hash[:16])
}

// nodesOf returns the objects of workers that have the first config of their pool.
func nodesOf(n int) (all []*mcfgv1.MachineConfigNode, byName map[string]*mcfgv1.MachineConfigNode) {
	byName = map[string]*mcfgv1.MachineConfigNode{}
	for i := range n {
		mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("worker-%d", i), UID: types.UID(fmt.Sprint(i)), Generation: 1}}
		mcn.Spec.Node.Name, mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired = mcn.Name, pool.Worker, rendered(1)
		mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: rendered(1), Desired: rendered(1)}
		event{report: conditions.Report{Phase: phases.Updated, Status: metav1.ConditionTrue}}.apply(mcn, time.Now().Add(-24*time.Hour))
		all, byName[mcn.Name] = append(all, mcn), mcn
	}
	return all, byName
}

// workers returns the pool, which has the second config to roll out. A quarter of its nodes may be unavailable at a
// time.
func workers() *mcfgv1.MachineConfigPool {
	quarter := intstr.FromString("25%")
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: pool.Worker}}
	p.Spec.Configuration.Name, p.Spec.MaxUnavailable = rendered(2), &quarter
	return p
}

// rollout returns all events of a rollout in their order. The drain of failNode fails.
func rollout(nodes []*mcfgv1.MachineConfigNode, failNode string) []event {
	var all []event
	free := make([]time.Duration, max(1, len(nodes)/4)) // when each place is
	for i, n := range nodes {
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
		add(s.phase, metav1.ConditionUnknown, s.running, false)
		at += time.Duration(float64(s.took) * (0.4 + 1.2*random.Float64()))
		if s.phase == phases.Drained && fails {
			add(phases.Drained, metav1.ConditionUnknown, drainFailed, false)
			at += time.Hour
			add(phases.NodeDegraded, metav1.ConditionTrue, fmt.Sprintf(degraded, node), false)
			return all, false
		}
		add(s.phase, metav1.ConditionTrue, s.done, s.completeParent)
	}
	add(phases.Updated, metav1.ConditionTrue, "Node "+node+" Updated", false)
	return all, true
}

// apply changes the object of a node.
func (e event) apply(mcn *mcfgv1.MachineConfigNode, at time.Time) {
	version := mcn.Status.ConfigVersion
	stamp := metav1.NewTime(at.Truncate(time.Second))
	if e.report.Phase == "" {
		mcn.Spec.ConfigVersion.Desired = rendered(2)
		mcn.Generation++
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
