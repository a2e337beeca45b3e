package upgrademonitor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// A nil *Monitor is valid: it accepts everything, writes nothing and returns nil.
func TestNilMonitor(t *testing.T) {
	var m *upgrademonitor.Monitor
	ctx := t.Context()
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx, "no phase", "", "", "no status"))
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(ctx))
	m.ReportDegraded(ctx, errors.New("disk full"))
	m.ReportPinnedImageSets(ctx, []upgrademonitor.PinnedImageSet{{}}, nil)
	require.NoError(t, m.Flush(ctx))
	n, _ := m.Pending()
	assert.Zero(t, n)
	m.Report(ctx, phases.Drained, "", metav1.ConditionTrue)

	work := errors.New("the work's own")
	assert.Equal(t, work, m.Track(ctx, phases.Drained, "", func(context.Context) error { return work }), "the work runs")
	require.Error(t, m.Track(ctx, phases.Drained, "", nil))
}

func TestNilMonitors(t *testing.T) {
	var m *upgrademonitor.Monitors
	m.For("worker-0").Report(t.Context(), phases.Drained, "", metav1.ConditionTrue)
	m.Forget("worker-0")
	require.NoError(t, m.Flush(t.Context()))
	n, _ := m.Pending()
	assert.Zero(t, n)
}
