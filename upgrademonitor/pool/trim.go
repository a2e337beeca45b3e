package pool

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Trim drops from an object what neither this package nor package rollout reads, so that an
// informer does not keep it: managedFields, which are half of a MachineConfigNode, and the
// list of images of a Node. It is a cache.TransformFunc, for the WithTransform option of the
// informer factories. A host whose own code reads those fields passes none, or another one.
func Trim(obj any) (any, error) {
	object, err := meta.Accessor(obj)
	if err != nil {
		return obj, nil // no object of the API, a tombstone say: it is kept as it is
	}
	object.SetManagedFields(nil)
	if node, ok := obj.(*corev1.Node); ok {
		node.Status.Images = nil
	}
	return obj, nil
}
