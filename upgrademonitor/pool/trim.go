package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Trim drops from an object what neither this package nor package rollout reads, so that an
// informer does not keep it: managedFields, which are half of a MachineConfigNode, and the
// list of images of a Node. It is a cache.TransformFunc, for the WithTransform option of the
// informer factories. A process whose own code reads those fields passes none, or another one.
//
// A Node, a MachineConfigNode and a MachineConfigPool are not modified: what is returned is a
// shallow copy, because a fake clientset may send an informer the object that it stores.
func Trim(obj any) (any, error) {
	switch object := obj.(type) {
	case *corev1.Node:
		trimmed := *object
		trimmed.ManagedFields, trimmed.Status.Images = nil, nil
		return &trimmed, nil
	case *mcfgv1.MachineConfigNode:
		trimmed := *object
		trimmed.ManagedFields = nil
		return &trimmed, nil
	case *mcfgv1.MachineConfigPool:
		trimmed := *object
		trimmed.ManagedFields = nil
		return &trimmed, nil
	case metav1.Object:
		object.SetManagedFields(nil)
	}
	return obj, nil // as it is: a tombstone, say
}
