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
	return &driven{t: t, server: server{now: begun, mode: plan.Standard, asked: map[phases.Phase]bool{phases.Updated: true}},
		node: plan.Node{Owner: metav1.OwnerReference{Name: "worker-0"}, Pool: "worker", Mode: plan.Standard, Provisioned: true,
			Versions: plan.Versions{CurrentConfig: "a", DesiredConfig: "a"}}}
}

func (d *driven) submit(p phases.Phase, status metav1.ConditionStatus) {
	d.t.Helper()
	d.See(core.View{Node: d.node})
	_, _, err := d.Submit(plan.PhaseChange{Node: d.node, Report: conditions.Report{Phase: p, Status: status, Reason: "R", Message: "m", Time: metav1.NewTime(begun)}})
	require.NoError(d.t, err)
}

func (d *driven) run(trySpec bool) {
	d.t.Helper()
	for r, ok := d.Next(trySpec); ok; r, ok = d.Next(trySpec) {
		d.Done(r, d.server.make(r))
	}
	require.NoError(d.t, d.server.problem)
}

// What the queue leads to is planned again on a newer object of the Lister: others may have taken back
// what a report would be rejected for.
func TestListedChangesWhatTheQueueLeadsTo(t *testing.T) {
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

// The spec of a begin that is left for later is written later.
func TestTheSpecOfABeginThatIsLeftForLater(t *testing.T) {
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
