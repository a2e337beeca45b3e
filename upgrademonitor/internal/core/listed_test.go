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

// What the queue leads to is planned again on a newer object of the Lister: others may have taken back
// what a report would be rejected for.
func TestListedChangesWhatTheQueueLeadsTo(t *testing.T) {
	s := server{now: begun, mode: plan.Standard, asked: map[phases.Phase]bool{phases.Updated: true}}
	node := plan.Node{Owner: metav1.OwnerReference{Name: "worker-0"}, Pool: "worker", Mode: plan.Standard, Provisioned: true,
		Versions: plan.Versions{CurrentConfig: "a", DesiredConfig: "a"}}
	var c core.Core
	submit := func(p phases.Phase, status metav1.ConditionStatus) {
		t.Helper()
		_, err := c.Submit(plan.PhaseChange{Node: node, Report: conditions.Report{Phase: p, Status: status, Reason: "R", Message: "m", Time: metav1.NewTime(begun)}}, false)
		require.NoError(t, err)
	}
	for _, status := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} {
		submit(phases.Updated, status)
	}
	submit(phases.Drained, metav1.ConditionUnknown)
	for r, ok := c.Next(true); ok; r, ok = c.Next(true) {
		c.Done(r, s.make(r))
	}
	require.NoError(t, s.problem)

	submit(phases.NodeDegraded, metav1.ConditionTrue)
	r, _ := c.Next(true)
	c.Done(r, core.Result{Outcome: apierr.Denied})
	s.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		conditions.Find(status.Conditions, phases.Drained).Status = metav1.ConditionFalse
	})
	c.Listed(s.object)
	submit(phases.Drained, metav1.ConditionFalse)
}
