package upgrademonitor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// At first boot, no update has succeeded: NodeDegraded was never reported, until a failure or an update.
func TestReportDegradedAtFirstBoot(t *testing.T) {
	f := newUpdated(t)
	f.ReportDegraded(t.Context(), nil)
	assert.Equal(t, conditions.ReasonNotYetOccurred, f.condition(phases.NodeDegraded).Reason)

	f.ReportDegraded(t.Context(), errDown)
	assert.Equal(t, metav1.ConditionTrue, f.status(phases.NodeDegraded))
	f.ReportDegraded(t.Context(), nil)
	assert.Equal(t, []string{"False", "NodeDegraded", "Node worker-0 upgrade succeeded"}, textsOf(f.condition(phases.NodeDegraded)))
}
