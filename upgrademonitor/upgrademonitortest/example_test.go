package upgrademonitortest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// daemon is a small machine-config-daemon.
type daemon struct {
	monitor      *upgrademonitor.Monitor
	drain, apply func(context.Context) error
}

func (d *daemon) update(ctx context.Context) error {
	d.monitor.Report(ctx, phases.Updated, "Updating to rendered-b", metav1.ConditionFalse)
	d.monitor.Report(ctx, phases.UpdatePrepared, "Update is compatible", metav1.ConditionTrue)
	err := d.monitor.Track(ctx, phases.Drained, "Draining node", d.drain)
	if err == nil {
		err = d.monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", d.apply, upgrademonitor.CompletesParent())
	}
	d.monitor.ReportDegraded(ctx, err)
	return err
}

// TestAWatcherSeesEachStepUntilOneFails is an example of a test of a daemon. It calls the daemon, and compares the statuses that a watcher of the
// object has seen.
func TestAWatcherSeesEachStepUntilOneFails(t *testing.T) {
	succeed := func(context.Context) error { return nil }
	for name, tc := range map[string]struct {
		drain func(context.Context) error
		want  []string
	}{
		"succeeds": {drain: succeed, want: []string{
			"UpdatePrepared: False Unknown True",
			"UpdateExecuted: False Unknown True",
			"Drained: False Unknown True",
			"AppliedFilesAndOS: False Unknown True",
		}},
		"the drain fails": {drain: func(context.Context) error { return errors.New("a Pod has a disruption budget") }, want: []string{
			"UpdatePrepared: False Unknown True",
			"UpdateExecuted: False Unknown",
			"Drained: False Unknown",
			"NodeDegraded: False True",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1a01a163", Annotations: map[string]string{
				"machineconfiguration.openshift.io/currentConfig": "rendered-a",
				"machineconfiguration.openshift.io/desiredConfig": "rendered-b",
			}}}
			clientset := upgrademonitortest.NewClientset(t)
			monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
				Client:   clientset,
				NodeName: node.Name,
				Node:     func() (*corev1.Node, error) { return node, nil },
			})
			require.NoError(t, err)
			d := &daemon{monitor: monitor, drain: tc.drain, apply: succeed}

			updateErr := d.update(t.Context())

			require.NoError(t, monitor.Flush(t.Context()), "Flush must write all reports")
			assert.Equal(t, strings.Join(tc.want, "\n"), upgrademonitortest.Transitions(t, clientset, node.Name))
			if updateErr != nil {
				object, err := clientset.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), node.Name, metav1.GetOptions{})
				require.NoError(t, err)
				assert.Contains(t, conditions.Find(object.Status.Conditions, phases.Drained).Message, updateErr.Error())
			}
		})
	}
}
