package screen_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestDegradedSinceNobodyKnows has a NodeDegraded without a lastTransitionTime.
func TestDegradedSinceNobodyKnows(t *testing.T) {
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-4"}}
	mcn.Spec.Pool.Name = "worker"
	mcn.Status.Conditions = []metav1.Condition{
		{Type: string(phases.Updated), Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(now.Add(-2 * time.Minute))},
		{Type: string(phases.UpdatePrepared), Status: metav1.ConditionUnknown, LastTransitionTime: metav1.NewTime(now.Add(-time.Minute))},
	}
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	look := func() []progress.Pool {
		return progress.Pools([]*mcfgv1.MachineConfigPool{pool}, []progress.Node{progress.Of(mcn)}, nil, now, progress.Limits{})
	}
	before := look()
	mcn.Status.Conditions = append(mcn.Status.Conditions, metav1.Condition{Type: string(phases.NodeDegraded), Status: metav1.ConditionTrue, Message: "disk full"})
	after := look()
	require.Len(t, after[0].Stuck, 1)
	assert.True(t, after[0].Stuck[0].Node.IsDegraded())
	assert.Equal(t, "degraded at step Preparing", screen.Reason(after[0].Stuck[0]))
	assert.Contains(t, screen.Text(screen.Snapshot(after, screen.Options{Now: now, Width: 80})), "degraded at step Preparing")
	assert.NotEmpty(t, screen.Moves(before, after, now), "that is news")
}
