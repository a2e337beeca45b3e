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
	node, mcn, mcp := newNode("n"), newMCN("n"), newPool("worker")
	node.ManagedFields, mcn.ManagedFields, mcp.ManagedFields = managed, managed, managed
	node.Status.Images = []corev1.ContainerImage{{Names: []string{"os"}}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "another kind", ManagedFields: managed}}
	deleted := cache.DeletedFinalStateUnknown{Key: "n"}
	for _, test := range []struct{ object, want any }{
		{node, newNode("n")}, {mcn, newMCN("n")}, {mcp, newPool("worker")},
		{pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "another kind"}}}, {deleted, deleted},
	} {
		got, err := pool.Trim(test.object)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
	for _, object := range []metav1.Object{node, mcn, mcp} {
		assert.Equal(t, managed, object.GetManagedFields(), "a fake clientset stores this object")
	}
	assert.Len(t, node.Status.Images, 1)
}
