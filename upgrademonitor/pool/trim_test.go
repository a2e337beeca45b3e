package pool_test

import (
	"testing"

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

	mcn := newMCN("worker-0")
	mcn.ManagedFields = managed
	got, err = pool.Trim(mcn)
	require.NoError(t, err)
	assert.Equal(t, newMCN("worker-0"), got)

	gone := cache.DeletedFinalStateUnknown{Key: "worker-0"}
	got, err = pool.Trim(gone)
	require.NoError(t, err)
	assert.Equal(t, gone, got)
}
