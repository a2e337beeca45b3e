package source

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// trimmedNode is what is kept of a MachineConfigNode. To a reflector it is the object.
type trimmedNode struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	node progress.Node
}

// DeepCopyObject returns a shallow copy: what it shares is immutable.
func (n *trimmedNode) DeepCopyObject() runtime.Object {
	other := *n
	return &other
}

// trimmedList is a page of trimmed objects.
type trimmedList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

// DeepCopyObject returns a shallow copy: what it shares is immutable.
func (l *trimmedList) DeepCopyObject() runtime.Object {
	other := *l
	return &other
}

// trim returns an object without the fields that are not needed.
func trim(obj runtime.Object) runtime.Object {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		trimmed := &trimmedNode{ObjectMeta: trimMeta(o.ObjectMeta)}
		if o.Name != "" { // else a bookmark
			trimmed.node = progress.FromMachineConfigNode(o)
		}
		return trimmed
	case *mcfgv1.MachineConfigPool:
		trimmed := &mcfgv1.MachineConfigPool{ObjectMeta: trimMeta(o.ObjectMeta)}
		trimmed.Spec.Paused = o.Spec.Paused
		trimmed.Spec.MaxUnavailable = o.Spec.MaxUnavailable
		trimmed.Spec.Configuration.Name = o.Spec.Configuration.Name
		trimmed.Status.MachineCount = o.Status.MachineCount
		trimmed.Status.Conditions = o.Status.Conditions
		return trimmed
	case *operatorv1.MachineConfiguration:
		trimmed := &operatorv1.MachineConfiguration{ObjectMeta: trimMeta(o.ObjectMeta)}
		trimmed.Status.Conditions = o.Status.Conditions
		return trimmed
	}
	return obj // the status of an error
}

func trimMeta(m metav1.ObjectMeta) metav1.ObjectMeta {
	trimmed := metav1.ObjectMeta{Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	if m.Name == "" {
		trimmed.Annotations = m.Annotations // of a bookmark
	}
	return trimmed
}
