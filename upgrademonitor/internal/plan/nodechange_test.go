package plan_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

var now = metav1.NewTime(time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC))

func viewOf(current, desired string) plan.Node {
	return plan.Node{
		Owner: metav1.OwnerReference{Kind: "Node", Name: "worker-0", UID: "1"}, Pool: "worker", Mode: plan.Standard,
		Versions: plan.Versions{CurrentConfig: current, DesiredConfig: desired},
	}
}

// after returns the state after reports, each written with the spec that follows the node where it
// begins an update.
func after(t *testing.T, s plan.State, reports ...plan.PhaseChange) plan.State {
	t.Helper()
	for _, r := range reports {
		planned, err := r.Plan(s)
		require.NoError(t, err)
		if planned.StartsUpdate && !s.InSync(r.Node) {
			s = s.Pin().Sync(r.Node)
			s.Generation++
			planned, err = r.Plan(s)
			require.NoError(t, err)
		}
		if n := len(planned.States); n > 0 {
			s = planned.States[n-1]
		}
	}
	return s
}

func report(p phases.Phase, status metav1.ConditionStatus, n plan.Node) plan.PhaseChange {
	return plan.PhaseChange{Node: n, Report: conditions.Report{Phase: p, Status: status, Reason: "R", Message: "about " + string(p), Time: now}}
}

func TestVersionsFollowTheNodeWithoutAReport(t *testing.T) {
	prepare := []plan.PhaseChange{
		report(phases.Updated, metav1.ConditionTrue, viewOf("a", "a")),
		report(phases.Updated, metav1.ConditionFalse, viewOf("a", "b")),
		report(phases.UpdatePrepared, metav1.ConditionTrue, viewOf("a", "b")),
	}
	for name, tc := range map[string]struct {
		reports []plan.PhaseChange
		node    plan.Node
		want    string // current and desired; "": nothing is written
	}{
		"nothing was reported":                  {nil, viewOf("a", "b"), ""},
		"nothing has changed":                   {prepare, viewOf("a", "b"), ""},
		"in an update":                          {prepare, viewOf("b", "b"), "b b"},
		"in an update, wanted elsewhere":        {prepare, viewOf("b", "c"), "b b"},
		"before it is prepared":                 {prepare[:2], viewOf("b", "b"), "b a"},
		"between updates, an order":             {prepare[:1], viewOf("a", "b"), ""},
		"between updates, what was wanted":      {prepare[:1], viewOf("b", "b"), "b b"},
		"between updates, wanted elsewhere":     {prepare[:1], viewOf("b", "c"), "b a"},
		"a node that names nothing":             {prepare[:1], viewOf("", ""), ""},
		"the view was behind at the end":        {append(prepare, report(phases.Updated, metav1.ConditionTrue, viewOf("a", "b"))), viewOf("b", "b"), "b b"},
		"never updated, and a singleton exists": {[]plan.PhaseChange{report(phases.NodeDegraded, metav1.ConditionTrue, viewOf("a", "b"))}, viewOf("b", "b"), "b not-yet-set"},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, plan.State{Generation: 1}.Sync(viewOf("a", "a")), tc.reports...)
			planned, err := plan.NodeChange{Node: tc.node}.Plan(s)
			require.NoError(t, err)
			assert.False(t, planned.StartsUpdate)
			if tc.want == "" {
				require.Empty(t, planned.States)
				return
			}
			require.Len(t, planned.States, 1)
			next := planned.States[0].Status
			assert.Equal(t, tc.want, next.ConfigVersion.Current+" "+next.ConfigVersion.Desired)
			assert.Equal(t, s.Status.Conditions, next.Conditions)
			again, err := plan.NodeChange{Node: tc.node}.Plan(planned.States[0])
			require.NoError(t, err)
			assert.Empty(t, again.States, "a repeat")
		})
	}
}

func TestImagesFollowTheNodeWithoutAReport(t *testing.T) {
	images := func(current, desired string) plan.Node {
		n := viewOf("a", "a")
		n.Mode, n.CurrentImage, n.DesiredImage = plan.Image, current, desired
		return n
	}
	s := after(t, plan.State{Generation: 1}.Sync(images("1", "1")), report(phases.Updated, metav1.ConditionTrue, images("1", "1")))
	for want, node := range map[mcfgv1.MachineConfigNodeStatusConfigImage]plan.Node{
		{CurrentImage: "2", DesiredImage: "2"}: images("2", "2"),
		{CurrentImage: "2", DesiredImage: "1"}: images("2", "3"),
		{}:                                     images("", ""),
	} {
		planned, err := plan.NodeChange{Node: node}.Plan(s)
		require.NoError(t, err)
		require.Len(t, planned.States, 1)
		assert.Equal(t, want, planned.States[0].Status.ConfigImage)
	}
}

func TestANewerViewOfTheNodeReplacesAnOlderOne(t *testing.T) {
	older, newer := plan.NodeChange{Node: viewOf("a", "b")}, plan.NodeChange{Node: viewOf("b", "b")}
	merged, ok := older.Absorb(newer)
	assert.True(t, ok)
	assert.Equal(t, newer, merged)
	_, ok = older.Absorb(report(phases.Drained, metav1.ConditionTrue, viewOf("b", "b")))
	assert.False(t, ok)
}
