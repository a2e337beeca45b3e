package upgrademonitor_test

import (
	"context"
	"testing"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func newMonitors(t *testing.T, clientset *mcfgfake.Clientset) *upgrademonitor.Monitors {
	t.Helper()
	monitors, err := upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
	})
	require.NoError(t, err)
	return monitors
}

func TestMonitorsKeepOneForEachNode(t *testing.T) {
	monitors := newMonitors(t, mcfgfake.NewClientset())
	first := monitors.For("worker-0")
	assert.Same(t, first, monitors.For("worker-0"))
	monitors.Forget("worker-0")
	assert.NotSame(t, first, monitors.For("worker-0"))
}

// The Monitor of a name that no Node can have rejects every report.
func TestMonitorsForANameThatNoNodeCanHave(t *testing.T) {
	monitor := newMonitors(t, mcfgfake.NewClientset()).For("Worker_0")
	var bad *field.Error
	require.ErrorAs(t, monitor.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "R", "", metav1.ConditionTrue), &bad)
	require.ErrorAs(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()), &bad)
	monitor.Report(t.Context(), phases.Drained, "", metav1.ConditionTrue)
	monitor.ReportDegraded(t.Context(), nil)
	monitor.ReportPinnedImageSets(t.Context(), nil, nil)
	require.NoError(t, monitor.Track(t.Context(), phases.Drained, "", func(context.Context) error { return nil }))
	n, _ := monitor.Pending()
	assert.Zero(t, n)
	require.NoError(t, monitor.Flush(t.Context()))
}

func TestNewMonitorsValidates(t *testing.T) {
	node := func(string) (*corev1.Node, error) { return nil, nil }
	var bad *field.Error
	_, err := upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{}, node)
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "upgrademonitor.Config.Client", bad.Field)
	_, err = upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: mcfgfake.NewClientset()}, nil)
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "upgrademonitor.Config.Node", bad.Field)
	_, err = upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: mcfgfake.NewClientset(), NodeName: "worker-0"}, node)
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "upgrademonitor.Config.NodeName", bad.Field)
	_, err = upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: mcfgfake.NewClientset(), Node: func() (*corev1.Node, error) { return nil, nil }}, node)
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "upgrademonitor.Config.Node", bad.Field)
}
