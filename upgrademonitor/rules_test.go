package upgrademonitor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// At first boot, no update has succeeded: NodeDegraded was never reported, until a failure or an update.
func TestReportDegradedAtFirstBoot(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.ReportDegraded(t.Context(), nil)
		assert.Equal(t, "NotYetOccurred", f.condition(phases.NodeDegraded).Reason)

		f.ReportDegraded(t.Context(), errDown)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.NodeDegraded))
		f.ReportDegraded(t.Context(), nil)
		assert.Equal(t, []string{"False", "NodeDegraded", "Node worker-0 upgrade succeeded"}, textsOf(f.condition(phases.NodeDegraded)))
	})
}

// The target of an update is withdrawn in the drain, and the daemon reports that the node is updated: spec,
// status and Node agree.
func TestATargetThatIsWithdrawn(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.starts(t, newConfig)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		assert.Equal(t, newConfig, f.desired())

		f.annotate(oldConfig, oldConfig)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		o := f.object()
		assert.Equal(t, oldConfig, f.desired())
		assert.Equal(t, oldConfig, o.Status.ConfigVersion.Desired)
		assert.Equal(t, o.Generation, o.Status.ObservedGeneration)
	})
}
