package pool_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

var _ cache.TransformFunc = pool.Trim

func TestTrim(t *testing.T) {
	managed := []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}

	node := newNode("worker-0", func(n *corev1.Node) {
		n.ManagedFields = managed
		n.Status.Images = []corev1.ContainerImage{{Names: []string{"os"}}}
	})
	got, err := pool.Trim(node)
	require.NoError(t, err)
	assert.Equal(t, newNode("worker-0"), got, "all else is kept")
	assert.Len(t, node.Status.Images, 1, "a fake clientset stores this object")
	assert.Equal(t, managed, node.ManagedFields)

	mcn := newMCN("worker-0")
	mcn.ManagedFields = managed
	got, err = pool.Trim(mcn)
	require.NoError(t, err)
	assert.Equal(t, newMCN("worker-0"), got)
	assert.Equal(t, managed, mcn.ManagedFields)

	mcp := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker", ManagedFields: managed}}
	got, err = pool.Trim(mcp)
	require.NoError(t, err)
	assert.Equal(t, &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}, got)
	assert.Equal(t, managed, mcp.ManagedFields)

	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "another kind", ManagedFields: managed}}
	got, err = pool.Trim(pod)
	require.NoError(t, err)
	assert.Equal(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "another kind"}}, got)

	deleted := cache.DeletedFinalStateUnknown{Key: "worker-0"}
	got, err = pool.Trim(deleted)
	require.NoError(t, err)
	assert.Equal(t, deleted, got)
}
