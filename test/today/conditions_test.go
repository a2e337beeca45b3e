package today_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/today"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	yes     = metav1.ConditionTrue
)

var now = metav1.NewTime(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))

func report(mcn *mcfgv1.MachineConfigNode, p phases.Phase, status metav1.ConditionStatus, message string, completes ...bool) (writes bool) {
	mcn.Status.Conditions, writes = today.Conditions(mcn, today.Call{Phase: p, Status: status, Reason: string(p), Message: message, CompletesParent: len(completes) > 0}, now)
	return writes
}

// TestUpdatedStaysTrue: a report of another phase does not make it False.
func TestUpdatedStaysTrue(t *testing.T) {
	mcn := &mcfgv1.MachineConfigNode{}
	mcn.Spec.ConfigVersion.Desired = "rendered-b"
	assert.True(t, report(mcn, phases.Updated, yes, "updated"))
	assert.Len(t, mcn.Status.Conditions, 15)
	for _, p := range []phases.Phase{phases.NodeDegraded, phases.UpdatePrepared, phases.Drained, phases.AppliedFiles} {
		assert.True(t, report(mcn, p, running, "about "+string(p)))
		assert.Equal(t, yes, conditions.StatusOf(mcn.Status.Conditions, phases.Updated), p)
		assert.Equal(t, running, conditions.StatusOf(mcn.Status.Conditions, p))
	}
	assert.Equal(t, running, conditions.StatusOf(mcn.Status.Conditions, phases.UpdateExecuted))
	assert.Len(t, mcn.Status.Conditions, 16, "a condition of image mode appears with its first call")
	assert.False(t, report(mcn, phases.Updated, yes, "updated"), "a repeat resets nothing")
	assert.Equal(t, running, conditions.StatusOf(mcn.Status.Conditions, phases.Drained))

	assert.True(t, report(mcn, phases.Updated, no, "updating"))
	drained := conditions.Find(mcn.Status.Conditions, phases.Drained)
	assert.Equal(t, no, drained.Status)
	assert.Equal(t, "Action during update to rendered-b: about Drained", drained.Message)
}

func TestRepeatsWriteNothing(t *testing.T) {
	mcn := &mcfgv1.MachineConfigNode{}
	assert.True(t, report(mcn, phases.Drained, running, "draining"))
	assert.False(t, report(mcn, phases.Drained, yes, "draining"), "the parent decides")
	assert.True(t, report(mcn, phases.Drained, yes, "draining", true))
	assert.True(t, report(mcn, phases.PinnedImageSetsDegraded, no, "all is good"))
	assert.True(t, report(mcn, phases.PinnedImageSetsDegraded, no, "all is good"))
}

func TestDesiredConfig(t *testing.T) {
	assert.Equal(t, "b", today.DesiredConfig(today.Call{Phase: phases.Updated, Status: no}, "b"))
	assert.Equal(t, "b", today.DesiredConfig(today.Call{Phase: phases.UpdatePrepared, Status: yes}, "b"))
	assert.Equal(t, "not-yet-set", today.DesiredConfig(today.Call{Phase: phases.UpdatePrepared, Status: running}, "b"))
	assert.Equal(t, "not-yet-set", today.DesiredConfig(today.Call{Phase: phases.Drained, Status: running}, ""))
}
