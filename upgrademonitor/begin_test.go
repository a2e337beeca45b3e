package upgrademonitor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// A begin that needs no write is kept.
func TestBeginWithoutAWriteIsKept(t *testing.T) {
	const third = "rendered-worker-ccc"
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, third) // the admin changed the pool while it was being prepared
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	f.report(t, phases.Updated, metav1.ConditionFalse) // the retry loop: same target
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Cordoned).Status, "a repeat for the same target changes no status")
}

// So is one whose response is lost.
func TestAnswerToABeginLost(t *testing.T) {
	const third = "rendered-worker-ccc"
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, third)
	f.loseResponse(1)
	say := func() error {
		return f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "now for ccc", metav1.ConditionFalse)
	}
	require.NoError(t, say())
	require.NoError(t, f.Flush(t.Context()))
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	require.NoError(t, say())
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Cordoned).Status, "a repeat for the same target changes no status")
}

// Its messages have its prefix, and not that of the previous update.
func TestPrefixOfABeginWithoutAWrite(t *testing.T) {
	const third = "rendered-worker-ccc"
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, third)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionUnknown)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Contains(t, f.condition(t, phases.UpdatePrepared).Message, third)
}
