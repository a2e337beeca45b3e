package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

func newNode(current, desired string) *corev1.Node {
	const prefix = "machineconfiguration.openshift.io/"
	annotations := map[string]string{prefix + "currentConfig": current, prefix + "desiredConfig": desired}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: annotations}}
}

func succeed(context.Context) error { return nil }

// drainController returns the work of the drain controller.
func drainController(t *testing.T, config upgrademonitor.Config) (drain, uncordon work) {
	t.Helper()
	controller, err := upgrademonitor.New(t.Context(), config)
	require.NoError(t, err)
	drain = func(ctx context.Context) error {
		controller.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
		return controller.Track(ctx, phases.Drained, "Draining node", succeed)
	}
	uncordon = func(ctx context.Context) error {
		controller.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
		return nil
	}
	return drain, uncordon
}

// An update whose first attempt fails, beside the controller that drains.
func TestUpdate(t *testing.T) {
	client, node := upgrademonitortest.NewClientset(t), newNode("rendered-1", "rendered-2")
	config := upgrademonitor.Config{Client: client, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil }}
	ctx, end := context.WithCancel(t.Context())
	monitor, err := start(ctx, config)
	require.NoError(t, err)
	drain, uncordon := drainController(t, config)

	require.Error(t, update(ctx, monitor, drain, func(context.Context) error { return errors.New("no space left") }, succeed))
	require.NoError(t, update(ctx, monitor, succeed, succeed, succeed))
	assert.Equal(t, `UpdatePrepared: False Unknown True
UpdateExecuted: False Unknown True
Cordoned: False Unknown True
Drained: False Unknown True
AppliedFilesAndOS: False Unknown True
RebootedNode: False Unknown
NodeDegraded: False True`, upgrademonitortest.Transitions(t, client, node.Name), "before the reboot")

	end()
	rebootedNode := newNode("rendered-2", "rendered-2")
	config.Node = func() (*corev1.Node, error) { return rebootedNode, nil }
	monitor, err = start(t.Context(), config)
	require.NoError(t, err)
	require.NoError(t, rebooted(t.Context(), monitor, uncordon))
	require.NoError(t, monitor.Flush(t.Context()))
	assert.Equal(t, `UpdatePrepared: False Unknown True False
UpdateExecuted: False Unknown True False
Cordoned: False Unknown True False
Drained: False Unknown True False
AppliedFilesAndOS: False Unknown True False
RebootedNode: False Unknown True False
Resumed: False Unknown True False
UpdateComplete: False Unknown True False
Uncordoned: False Unknown True False
NodeDegraded: False True False
Updated: False True`, upgrademonitortest.Transitions(t, client, node.Name))
}

// TestTables: a watcher of one update sees the tables of the enhancement proposal machine-config-node, in this order,
// with the columns of oc get machineconfignodes -o wide. In its second row of the executed phase, the proposal has the
// children of UpdateExecuted in another order than its columns.
func TestTables(t *testing.T) {
	const tables = `
DESIRED CURRENT UPDATED PREPARED EXECUTED POSTACTION COMPLETE RESUMED FILESANDOS CORDONED DRAINED REBOOTED UNCORDONED
config-1 config-1 True  False False   False False False False   False False   False   False
config-2 config-1 False True  False   False False False False   False False   False   False
config-2 config-1 False True  Unknown False False False False   True  Unknown False   False
config-2 config-1 False True  Unknown False False False Unknown True  True    False   False
config-2 config-1 False True  True    False False False True    True  True    False   False
config-2 config-1 False True  True    False False False True    True  True    Unknown False
config-2 config-1 False True  True    False False False True    True  True    True    False
config-2 config-1 False True  True    False False True  True    True  True    True    False
config-2 config-1 False True  True    False True  True  True    True  True    True    True
config-2 config-2 True  False False   False False False False   False False   False   False`
	client, node := upgrademonitortest.NewClientset(t), newNode("config-1", "config-1")
	watch, err := client.MachineconfigurationV1().MachineConfigNodes().Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	config := upgrademonitor.Config{Client: client, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil }}
	monitor, err := start(t.Context(), config)
	require.NoError(t, err)
	drain, uncordon := drainController(t, config)

	monitor.Report(t.Context(), phases.Updated, "Node is updated", metav1.ConditionTrue)
	node = newNode("config-1", "config-2")
	require.NoError(t, update(t.Context(), monitor, drain, succeed, succeed))
	require.NoError(t, rebooted(t.Context(), monitor, func(ctx context.Context) error {
		defer func() { node = newNode("config-2", "config-2") }()
		return uncordon(ctx)
	}))
	watch.Stop()
	var seen []string
	for event := range watch.ResultChan() {
		if mcn := event.Object.(*mcfgv1.MachineConfigNode); mcn.Status.ConfigVersion != nil {
			row := []string{mcn.Spec.ConfigVersion.Desired, mcn.Status.ConfigVersion.Current}
			for _, column := range []phases.Phase{
				phases.Updated, phases.UpdatePrepared, phases.UpdateExecuted, phases.UpdatePostActionComplete,
				phases.UpdateComplete, phases.Resumed, phases.AppliedFilesAndOS, phases.Cordoned, phases.Drained,
				phases.RebootedNode, phases.Uncordoned,
			} {
				row = append(row, string(meta.FindStatusCondition(mcn.Status.Conditions, string(column)).Status))
			}
			seen = append(seen, strings.Join(row, " "))
		}
	}
	rest := seen
	for _, line := range strings.Split(tables, "\n")[2:] {
		row := strings.Join(strings.Fields(line), " ")
		at := slices.Index(rest, row)
		require.GreaterOrEqual(t, at, 0, "%s, of\n%s", row, strings.Join(seen, "\n"))
		rest = rest[at+1:]
	}
	assert.Empty(t, rest, "the last table is the end")

	// The texts after the update: a step that has run is of the last update, one that never ran says so.
	mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), node.Name, metav1.GetOptions{})
	require.NoError(t, err)
	for _, c := range mcn.Status.Conditions {
		phase := phases.Phase(c.Type)
		parent, isChild := phases.ParentOf(phase)
		switch {
		case phase == phases.UpdatePostActionComplete || phases.KindOf(phase) == phases.Singleton:
			assert.Equal(t, "NotYetOccurred", c.Reason)
			assert.Equal(t, "This node has not yet entered the "+c.Type+" phase", c.Message)
		case phase != phases.Updated:
			assert.Regexp(t, "^Action during update to config-2: [A-Z]", c.Message, phase)
			assert.True(t, !isChild || c.Reason == string(parent+phase), c.Reason)
		}
	}
}

// An API server that is down does not keep the node from rebooting.
func TestUpdateInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, node := upgrademonitortest.NewClientset(t), newNode("rendered-1", "rendered-2")
		client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewServiceUnavailable("etcd is down")
		})
		monitor, err := start(t.Context(), upgrademonitor.Config{Client: client, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil }})
		require.NoError(t, err)
		begin, reboots := time.Now(), 0
		require.NoError(t, update(t.Context(), monitor, succeed, succeed, func(context.Context) error { reboots++; return nil }))
		assert.Equal(t, 1, reboots)
		assert.LessOrEqual(t, time.Since(begin), 20*time.Second, "one Timeout, and the time of Flush")
	})
}
