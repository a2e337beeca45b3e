package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

func newNode(current string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: current, upgrademonitor.DesiredConfigAnnotation: "rendered-2"}}}
}

func succeed(context.Context) error { return nil }

// An update whose first attempt fails, beside the controller that drains.
func TestUpdate(t *testing.T) {
	client, node := upgrademonitortest.NewClientset(t), newNode("rendered-1")
	config := upgrademonitor.Config{Client: client, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil }}
	ctx, end := context.WithCancel(t.Context())
	monitor, err := start(ctx, config)
	require.NoError(t, err)
	controller, err := upgrademonitor.New(t.Context(), config)
	require.NoError(t, err)
	drain := func(ctx context.Context) error {
		controller.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
		return controller.Track(ctx, phases.Drained, "Draining node", succeed)
	}

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
	rebootedNode := newNode("rendered-2")
	config.Node = func() (*corev1.Node, error) { return rebootedNode, nil }
	monitor, err = start(t.Context(), config)
	require.NoError(t, err)
	rebooted(t.Context(), monitor)
	require.NoError(t, monitor.Flush(t.Context()))
	assert.Equal(t, `UpdatePrepared: False Unknown True False
UpdateExecuted: False Unknown True False
Cordoned: False Unknown True False
Drained: False Unknown True False
AppliedFilesAndOS: False Unknown True False
RebootedNode: False Unknown True False
Resumed: False Unknown True False
NodeDegraded: False True False
Updated: False True`, upgrademonitortest.Transitions(t, client, node.Name))
}

// An API server that is down does not keep the node from rebooting.
func TestUpdateInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, node := upgrademonitortest.NewClientset(t), newNode("rendered-1")
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
