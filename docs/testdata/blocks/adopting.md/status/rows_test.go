package status

import (
	"context"
	"errors"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// daemon has a Monitor without a Pool, and the log of its calls.
type daemon struct {
	*testing.T
	*upgrademonitor.Monitor
	ctx    context.Context
	log    strings.Builder
	object func() *mcfgv1.MachineConfigNode
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	client, d := upgrademonitortest.NewClientset(t), &daemon{T: t}
	d.ctx = klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&d.log))))
	const prefix = "machineconfiguration.openshift.io/"
	annotations := map[string]string{prefix + "currentConfig": "config-1", prefix + "desiredConfig": "config-2"}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: annotations}}
	var err error
	d.Monitor, err = upgrademonitor.New(d.ctx, upgrademonitor.Config{
		Client: client, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil },
	})
	require.NoError(t, err)
	d.object = func() *mcfgv1.MachineConfigNode {
		mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(d.ctx, node.Name, metav1.GetOptions{})
		require.NoError(t, err)
		return mcn
	}
	return d
}

func (d *daemon) has(phase phases.Phase, status metav1.ConditionStatus, message string) {
	d.Helper()
	c := meta.FindStatusCondition(d.object().Status.Conditions, string(phase))
	assert.Equal(d, status, c.Status)
	assert.Contains(d, c.Message, message)
}

func (d *daemon) report(phase phases.Phase, status metav1.ConditionStatus, opts ...upgrademonitor.Option) {
	d.Report(d.ctx, phase, "reported", status, opts...)
}

// TestRows: what the tables of the guide say about reports.
func TestRows(t *testing.T) {
	completes := upgrademonitor.CompletesParent()
	fails := func(context.Context) error { return errors.New("pod web-0 cannot be evicted") }
	for name, test := range map[string]func(*daemon){
		"a step that is not required is False": func(d *daemon) {
			d.report(phases.Updated, metav1.ConditionFalse)
			d.NotRequired(d.ctx, phases.Drained, "Drain is not required")
			d.has(phases.Drained, metav1.ConditionFalse, "Drain is not required")
		},
		"a failed child blocks its parent, until it is not required any more: then it is True": func(d *daemon) {
			d.report(phases.Updated, metav1.ConditionFalse)
			require.Error(d, d.Track(d.ctx, phases.Drained, "Draining node", fails))
			d.report(phases.AppliedFilesAndOS, metav1.ConditionTrue, completes)
			d.has(phases.UpdateExecuted, metav1.ConditionUnknown, "Error: Draining node: pod web-0 cannot be evicted")
			d.NotRequired(d.ctx, phases.Drained, "Drain is not required")
			d.has(phases.Drained, metav1.ConditionTrue, "Drain is not required")
			d.report(phases.AppliedFilesAndOS, metav1.ConditionTrue, completes)
			d.has(phases.UpdateExecuted, metav1.ConditionTrue, "reported")
		},
		"an update without a child": func(d *daemon) {
			d.report(phases.Updated, metav1.ConditionFalse)
			d.NotRequired(d.ctx, phases.AppliedFilesAndOS, "Only units change", completes)
			d.has(phases.UpdateExecuted, metav1.ConditionTrue, "Only units change")
		},
		"an update that nobody has announced is a disruption": func(d *daemon) {
			d.report(phases.Updated, metav1.ConditionTrue)
			d.report(phases.AppliedFilesAndOS, metav1.ConditionUnknown)
			d.has(phases.Updated, metav1.ConditionFalse, "sensed disruption")
		},
		"False is rejected for a step that has started": func(d *daemon) {
			d.report(phases.Updated, metav1.ConditionFalse)
			d.report(phases.AppliedFilesAndOS, metav1.ConditionUnknown)
			d.report(phases.AppliedFilesAndOS, metav1.ConditionFalse)
			d.has(phases.AppliedFilesAndOS, metav1.ConditionUnknown, "reported")
			assert.Contains(d, d.log.String(), "invalid transition")
		},
		"the pool of a new object is not known": func(d *daemon) {
			d.report(phases.Updated, metav1.ConditionFalse)
			assert.Equal(d, "not-yet-set", d.object().Spec.Pool.Name)
		},
		"no failure before the first update": func(d *daemon) {
			d.ReportDegraded(d.ctx, nil)
			d.report(phases.PinnedImageSetsProgressing, metav1.ConditionTrue)
			d.has(phases.NodeDegraded, metav1.ConditionFalse, "has not yet entered")
		},
		"the failure of image sets is logged, and a set that is done is reported as done again": func(d *daemon) {
			sets := []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1, Done: true}}
			d.ReportPinnedImageSets(d.ctx, sets, errors.New("node worker-0 is reporting OutOfDisk=True"))
			assert.Equal(d, 1, strings.Count(d.log.String(), "OutOfDisk=True"))
			sets[0].Done = false
			d.ReportPinnedImageSets(d.ctx, sets, nil)
			d.has(phases.PinnedImageSetsProgressing, metav1.ConditionTrue, "node is prefetching images")
		},
		"a ctx that has ended": func(d *daemon) {
			ended, end := context.WithCancel(d.ctx)
			end()
			d.Report(ended, phases.Updated, "reported", metav1.ConditionFalse)
			n, _ := d.Pending()
			assert.Zero(d, n)
			assert.Contains(d, d.log.String(), "context canceled")
		},
		"nil Monitors": func(d *daemon) {
			var monitors *upgrademonitor.Monitors
			monitor := monitors.For("worker-0")
			require.ErrorContains(d, monitor.Track(d.ctx, phases.Drained, "Draining node", fails), "web-0", "the work runs")
			require.NoError(d, monitors.Flush(d.ctx))
		},
	} {
		t.Run(name, func(t *testing.T) { test(newDaemon(t)) })
	}
}
