package main

import (
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

const (
	rendered1 = "rendered-worker-9bcd6b9abcc3c037fe5633e9571ed5ec"
	rendered2 = "rendered-worker-7de7db73c6c2a9bcd0b3f5a1c39a1d5e"

	// The messages of a drain that fails. The controller reports drainFailed. After an hour, the
	// daemon reports degraded.
	drainFailed = `Error: Node Drain has not succeeded. Error is: ` +
		`error when evicting pods/"web-0" -n "shop": global timeout reached: 1m30s`
	degraded = "Node %[1]s upgrade failure. failed to drain node: %[1]s after 1 hour. " +
		"Please see machine-config-controller logs for more information"
)

// steps are the steps of an update with a reboot: their durations, and the messages that
// machine-config-operator reports.
var steps = []struct {
	phase         phases.Phase
	took          time.Duration
	running, done string
}{
	{phases.UpdatePrepared, 10 * time.Second, "Update is being prepared", "Update Compatible. Post Cfg Actions: [] Drain Required: true"},
	{phases.Cordoned, time.Second, "Cordoning node", "Cordoned node. The node is reporting Unschedulable = true"},
	{phases.Drained, time.Minute, "Draining node.", "Drained node."},
	{phases.AppliedFilesAndOS, 40 * time.Second, "Applying files and new OS config to node. OS will need an update.", "Applied files and new OS config to node."},
	{phases.RebootedNode, 80 * time.Second, "Upgrade requires a reboot.", "Node has rebooted"},
	{phases.Resumed, 10 * time.Second, "Resuming normal operations", "In desired config " + rendered2 + ". Resumed normal operations."},
	{phases.Uncordoned, time.Second, "Uncordoning node", "UnCordoned node. The node is reporting Unschedulable = false"},
}

// rollout is the rollout of a config to the nodes of a pool, of which a quarter is updated at a time.
type rollout struct {
	pool   *mcfgv1.MachineConfigPool
	begins []time.Time // when the update of each node begins; zero for never
	fails  string      // the name of the node whose drain fails, or ""
	end    time.Time
}

func newRollout(start time.Time, nodes int, fails string) *rollout {
	quarter := intstr.FromString("25%")
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker", Generation: 2}}
	p.Spec.Configuration.Name, p.Spec.MaxUnavailable = rendered2, &quarter
	p.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: workers}
	r := &rollout{pool: p, begins: make([]time.Time, nodes), fails: fails, end: start}
	parallel := max(1, nodes/4)
	for first := range parallel {
		at := start.Truncate(time.Second)
		for i := first; i < nodes && !at.IsZero(); i += parallel {
			r.begins[i] = at
			for s := range steps {
				at = at.Add(took(i, s))
			}
			if name(i) == fails {
				at = at.Add(2 * time.Hour)
			}
			if at.After(r.end) {
				r.end = at
			}
			if name(i) == fails {
				at = time.Time{} // the node stays unavailable, so no other node follows
			}
		}
	}
	return r
}

func name(i int) string { return fmt.Sprintf("worker-%d", i) }

// took returns the duration of a step. The durations of nodes differ.
func took(node, step int) time.Duration {
	return (steps[step].took * time.Duration(6+(node+3*step)%9) / 10).Truncate(time.Second)
}

// workers are the labels of the Nodes.
var workers = map[string]string{"node-role.kubernetes.io/worker": ""}

// objects returns all objects as they are at a time.
func (r *rollout) objects(now time.Time) []any {
	var all []any
	var nodes []*corev1.Node
	var mcns []*mcfgv1.MachineConfigNode
	for i := range r.begins {
		node, mcn := r.node(i, now)
		nodes, mcns, all = append(nodes, node), append(mcns, mcn), append(all, node, mcn)
	}
	r.pool = r.pool.DeepCopy()
	r.pool.Status = pool.Status(r.pool, nodes, mcns, pool.Options{}, metav1.NewTime(now))
	return append(all, r.pool)
}

// node returns a Node and its MachineConfigNode as they are at a time.
func (r *rollout) node(i int, now time.Time) (*corev1.Node, *mcfgv1.MachineConfigNode) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name(i), Labels: workers}}
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name(i), Generation: 1}}
	mcn.Spec.Node.Name, mcn.Spec.Pool.Name = name(i), "worker"
	current, desired, state, ready, begin := rendered1, rendered1, "Done", corev1.ConditionTrue, metav1.NewTime(r.begins[i])
	if begin.IsZero() || now.Before(begin.Time) {
		mcn.Status.Conditions = []metav1.Condition{condition(phases.Updated, metav1.ConditionTrue, now.Add(-24*time.Hour), "Node is up to date")}
	} else {
		list, running := r.update(i, now)
		desired, mcn.Status.Conditions = rendered2, list
		if running == "" {
			current = rendered2
		} else {
			state, node.Spec.Unschedulable = "Working", running != phases.UpdatePrepared
		}
		if running == phases.RebootedNode {
			ready = corev1.ConditionUnknown
		}
		mcn.Generation = 2
		mcn.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &begin, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
	}
	mcn.Spec.ConfigVersion.Desired = desired
	mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: current, Desired: desired}
	node.Annotations = map[string]string{
		"machineconfiguration.openshift.io/currentConfig": current,
		"machineconfiguration.openshift.io/desiredConfig": desired,
		"machineconfiguration.openshift.io/state":         state,
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	return node, mcn
}

// update returns the conditions of a node during its update, and the running step. After the update,
// the step is "".
func (r *rollout) update(i int, now time.Time) (list []metav1.Condition, running phases.Phase) {
	at := r.begins[i]
	list = append(list, condition(phases.Updated, metav1.ConditionFalse, at, "Node "+name(i)+" needs an update"))
	for s, step := range steps {
		from, fails := at, step.phase == phases.Drained && name(i) == r.fails
		at = at.Add(took(i, s))
		switch {
		case fails && now.After(at):
			list = append(list, condition(step.phase, metav1.ConditionUnknown, from, drainFailed))
			if timeout := from.Add(time.Hour); now.After(timeout) {
				list = append(list, condition(phases.NodeDegraded, metav1.ConditionTrue, timeout, fmt.Sprintf(degraded, name(i))))
			}
			return list, step.phase
		case fails || now.Before(at):
			return append(list, condition(step.phase, metav1.ConditionUnknown, from, step.running)), step.phase
		}
		list = append(list, condition(step.phase, metav1.ConditionTrue, at, step.done))
	}
	return []metav1.Condition{condition(phases.Updated, metav1.ConditionTrue, at, "Node "+name(i)+" Updated")}, ""
}

func condition(p phases.Phase, status metav1.ConditionStatus, since time.Time, message string) metav1.Condition {
	return metav1.Condition{Type: string(p), Status: status, Reason: string(p), Message: message, LastTransitionTime: metav1.NewTime(since)}
}
