package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	rendered1 = "rendered-worker-9bcd6b9abcc3c037fe5633e9571ed5ec"
	rendered2 = "rendered-worker-7de7db73c6c2a9bcd0b3f5a1c39a1d5e"

	// The messages of a drain that fails. The controller reports drainFailed. After an hour, the
	// daemon reports degraded.
	untilDrained = " The drain will not be complete until desired drainer drain-" + rendered2 +
		" matches current drainer uncordon-" + rendered1
	drainFailed = `Error: Node Drain has not succeeded. Error is: ` +
		`error when evicting pods/"web-0" -n "shop": global timeout reached: 1m30s` + untilDrained
	degraded = "Node %[1]s upgrade failure. failed to drain node: %[1]s after 1 hour. " +
		"Please see machine-config-controller logs for more information"
)

// steps are the steps of an update with a reboot. They have the messages that
// machine-config-operator reports, and the duration of each step.
var steps = []struct {
	phase           phases.Phase
	running, done   string
	took            time.Duration
	completesParent bool
}{
	{
		phase:   phases.UpdatePrepared,
		running: "Update is being prepared",
		done:    "Update Compatible. Post Cfg Actions: [] Drain Required: true",
		took:    10 * time.Second,
	},
	{
		phase:   phases.Cordoned,
		running: "Cordoning node",
		done:    "Cordoned node. The node is reporting Unschedulable = true",
		took:    time.Second,
	},
	{
		phase:   phases.Drained,
		running: "Draining node." + untilDrained,
		done: "Drained node. The drain is complete as the desired drainer matches current drainer: drain-" +
			rendered2,
		took: time.Minute,
	},
	{
		phase: phases.AppliedFilesAndOS,
		running: "Applying files and new OS config to node. OS will need an update. " +
			"SSH Keys will not need an update",
		done: "Applied files and new OS config to node. OS did need an update. " +
			"SSH Keys did not need an update",
		took:            40 * time.Second,
		completesParent: true,
	},
	{
		phase:   phases.RebootedNode,
		running: "Upgrade requires a reboot.",
		done:    "Node has rebooted",
		took:    80 * time.Second,
	},
	{
		phase:   phases.Resumed,
		running: "Resuming normal operations",
		done:    "In desired config " + rendered2 + ". Resumed normal operations.",
		took:    10 * time.Second,
	},
	{
		phase:           phases.Uncordoned,
		running:         "Uncordoning node",
		done:            "UnCordoned node. The node is reporting Unschedulable = false",
		took:            time.Second,
		completesParent: true,
	},
}

type node = mcfgv1.MachineConfigNode

// newPool returns a pool with the target rendered2. A quarter of its nodes may be unavailable at a
// time.
func newPool() *mcfgv1.MachineConfigPool {
	quarter := intstr.FromString("25%")
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker", Generation: 2}}
	p.Spec.Configuration.Name, p.Spec.MaxUnavailable = rendered2, &quarter
	p.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: workers}
	return p
}

// workers are the labels of the Nodes.
var workers = map[string]string{"node-role.kubernetes.io/worker": ""}

// kubeNode returns the Node of a MachineConfigNode.
func kubeNode(mcn *node) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: mcn.Name, UID: mcn.UID, Labels: workers}}
	n.Annotations = map[string]string{
		"machineconfiguration.openshift.io/currentConfig": mcn.Status.ConfigVersion.Current,
		"machineconfiguration.openshift.io/desiredConfig": mcn.Spec.ConfigVersion.Desired,
		"machineconfiguration.openshift.io/state":         "Done",
	}
	is := func(p phases.Phase) bool {
		return conditions.StatusOf(mcn.Status.Conditions, p) == metav1.ConditionTrue
	}
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	if conditions.StatusOf(mcn.Status.Conditions, phases.RebootedNode) == metav1.ConditionUnknown {
		ready.Status = corev1.ConditionUnknown
	}
	n.Status.Conditions = []corev1.NodeCondition{ready}
	n.Spec.Unschedulable = is(phases.Cordoned) && !is(phases.Uncordoned)
	return n
}

// newNodes returns the objects of n workers that have the config rendered1.
func newNodes(n int) []*node {
	var all []*node
	for i := range n {
		mcn := &node{}
		mcn.Name = fmt.Sprintf("worker-%d", i)
		mcn.UID = types.UID(fmt.Sprint(i))
		mcn.Generation = 1
		mcn.Spec.Node.Name = mcn.Name
		mcn.Spec.Pool.Name = "worker"
		mcn.Spec.ConfigVersion.Desired = rendered1
		mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{
			Current: rendered1,
			Desired: rendered1,
		}
		updated := transitions.Report{Phase: phases.Updated, Status: metav1.ConditionTrue}
		event{node: mcn, Report: updated}.apply(time.Now().Add(-24 * time.Hour))
		all = append(all, mcn)
	}
	return all
}

// event is a report of a daemon.
type event struct {
	transitions.Report
	at   time.Duration // the time since the start of the rollout
	node *node
}

// rollout returns all events, sorted by time. The drain of failNode fails, and this node stays
// unavailable.
func rollout(nodes []*node, failNode string) []event {
	var all []event
	parallel := max(1, len(nodes)/4)
	for first := range parallel {
		var at time.Duration
		for i := first; i < len(nodes); i += parallel {
			n := nodes[i]
			add := func(p phases.Phase, status metav1.ConditionStatus, message string, completesParent bool) {
				report := transitions.Report{
					Phase:           p,
					Status:          status,
					Reason:          string(p),
					Message:         message,
					CompletesParent: completesParent,
				}
				all = append(all, event{report, at, n})
			}
			add(phases.Updated, metav1.ConditionFalse, "Node "+n.Name+" needs an update", false)
			for s, step := range steps {
				add(step.phase, metav1.ConditionUnknown, step.running, false)
				at += step.took * time.Duration(6+(i+3*s)%9) / 10 // the durations of nodes differ
				if step.phase == phases.Drained && n.Name == failNode {
					break
				}
				add(step.phase, metav1.ConditionTrue, step.done, step.completesParent)
			}
			if n.Name == failNode {
				add(phases.Drained, metav1.ConditionUnknown, drainFailed, false)
				at += time.Hour
				add(phases.NodeDegraded, metav1.ConditionTrue, fmt.Sprintf(degraded, n.Name), false)
				break
			}
			add(phases.Updated, metav1.ConditionTrue, "Node "+n.Name+" Updated", false)
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return all
}

// apply updates the MachineConfigNode with the report. at is the time of the report.
func (e event) apply(at time.Time) {
	spec, version := &e.node.Spec.ConfigVersion, e.node.Status.ConfigVersion
	e.Time = metav1.NewTime(at.Truncate(time.Second))
	if e.Phase == phases.Updated && e.Status == metav1.ConditionFalse {
		spec.Desired = rendered2
		e.node.Generation++
		e.node.ManagedFields = []metav1.ManagedFieldsEntry{{
			Time:       &e.Time,
			FieldsType: "FieldsV1",
			FieldsV1:   metav1.NewFieldsV1(`{"f:spec":{}}`),
		}}
	}
	cycle := transitions.Update{Name: spec.Desired, NewTarget: version.Desired != spec.Desired}
	lists, err := conditionstest.Writes(e.node.Status.Conditions, false, e.Report, cycle)
	if err == nil && len(lists) > 0 {
		e.node.Status.Conditions = lists[len(lists)-1]
	}
	if e.Status == metav1.ConditionTrue {
		switch e.Phase {
		case phases.UpdatePrepared:
			version.Desired = spec.Desired
		case phases.Updated:
			version.Current = spec.Desired
		}
	}
}
