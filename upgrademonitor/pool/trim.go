package pool

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Trim drops from an object what neither this package nor package rollout reads, so that an
// informer does not keep it: managedFields, which are half of a MachineConfigNode, and the
// list of images of a Node. It is a cache.TransformFunc, for the WithTransform option of the
// informer factories. A host whose own code reads those fields passes none, or another one.
func Trim(obj any) (any, error) {
	object, ok := obj.(metav1.Object)
	if !ok {
		return obj, nil // a tombstone, say: it is kept as it is
	}
	object.SetManagedFields(nil)
	if node, ok := obj.(*corev1.Node); ok {
		node.Status.Images = nil
	}
	return obj, nil
}
