package core_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// driven is a Core with a model of the API server, for which a test makes the requests.
type driven struct {
	core.Core
	t      *testing.T
	server server
	node   plan.Node
}

func drive(t *testing.T) *driven {
	return &driven{t: t, server: server{now: startTime, mode: plan.Standard, asked: map[phases.Phase]bool{phases.Updated: true}},
		node: plan.Node{Owner: metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "node"}, Pool: "worker", Mode: plan.Standard, Provisioned: true,
			Versions: plan.Versions{CurrentConfig: "a", DesiredConfig: "a"}}}
}

func (d *driven) submit(p phases.Phase, status metav1.ConditionStatus) {
	d.t.Helper()
	d.See(core.View{Node: d.node})
	_, _, err := d.Submit(plan.PhaseChange{Node: d.node, Report: conditions.Report{Phase: p, Status: status, Reason: "R", Message: "m", Time: metav1.NewTime(startTime)}})
	require.NoError(d.t, err)
}

func (d *driven) run(trySpec bool) {
	d.t.Helper()
	for r, ok := d.Next(trySpec); ok; r, ok = d.Next(trySpec) {
		d.Done(r, d.server.make(r))
	}
	require.NoError(d.t, d.server.problem)
}

// The state after the queue is planned again on a newer object of the Lister: another client may have
// changed a status for which a report would be rejected.
func TestAListedObjectIsPlannedOnAgain(t *testing.T) {
	d := drive(t)
	for _, status := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} {
		d.submit(phases.Updated, status)
	}
	d.submit(phases.Drained, metav1.ConditionUnknown)
	d.run(true)

	d.submit(phases.NodeDegraded, metav1.ConditionTrue)
	r, _ := d.Next(true)
	d.Done(r, core.Result{Outcome: apierr.Denied})
	d.server.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		conditions.Find(status.Conditions, phases.Drained).Status = metav1.ConditionFalse
	})
	d.See(core.View{Node: d.node, Lists: true, Listed: &d.server.object})
	d.submit(phases.Drained, metav1.ConditionFalse)
}

// The spec of a start that is left for later is written later.
func TestTheSpecOfAStartIsLeftForLater(t *testing.T) {
	d := drive(t)
	d.submit(phases.Updated, metav1.ConditionTrue)
	d.run(true)
	d.node.DesiredConfig = "b"
	d.submit(phases.Updated, metav1.ConditionFalse)
	d.run(false)
	require.Equal(t, "a", d.server.object.Spec.ConfigVersion.Desired)
	d.run(true)
	require.Equal(t, "b", d.server.object.Spec.ConfigVersion.Desired)
}

// The target of an update that another process has started is known from the Lister, before the spec
// changes.
func TestTheTargetOfAListedUpdate(t *testing.T) {
	d := drive(t)
	d.server.asked[phases.Cordoned] = true
	d.submit(phases.Updated, metav1.ConditionTrue)
	d.run(true)
	other := drive(t) // starts an update to b
	other.server, other.node = d.server, d.node
	other.node.DesiredConfig = b
	other.submit(phases.Updated, metav1.ConditionFalse)
	other.submit(phases.Cordoned, metav1.ConditionTrue)
	other.run(true)

	d.server, d.node.DesiredConfig = other.server, c
	d.See(core.View{Node: d.node, Lists: true, Listed: &d.server.object})
	d.submit(phases.UpdatePrepared, metav1.ConditionUnknown)
	d.run(true)
	require.Equal(t, metav1.ConditionFalse, conditions.StatusOf(d.server.object.Status.Conditions, phases.Cordoned), "an update to c has started")
}

// The target of a write whose response was lost is not remembered beyond the next read.
func TestTheTargetOfALostResponseIsForgotten(t *testing.T) {
	d := drive(t)
	d.server.asked[phases.Cordoned] = true
	d.submit(phases.Updated, metav1.ConditionTrue)
	d.run(true)
	d.node.DesiredConfig = b
	d.submit(phases.Updated, metav1.ConditionFalse)
	r, _ := d.Next(true)
	for ; r.Verb != core.PatchStatus; r, _ = d.Next(true) {
		d.Done(r, d.server.make(r))
	}
	d.server.make(r)
	d.Done(r, core.Result{Outcome: apierr.Retry})
	d.run(true)

	d.node.DesiredConfig = c
	d.submit(phases.Updated, metav1.ConditionFalse)
	d.run(false) // the status is the same, and the spec stays: only this process knows the target
	d.server.bump(false)
	d.See(core.View{Node: d.node, Lists: true, Listed: &d.server.object})
	d.submit(phases.Cordoned, metav1.ConditionTrue)
	d.run(false)
	d.submit(phases.Updated, metav1.ConditionFalse)
	d.run(false)
	require.Equal(t, metav1.ConditionTrue, conditions.StatusOf(d.server.object.Status.Conditions, phases.Cordoned), "a repeat starts no update")
}
