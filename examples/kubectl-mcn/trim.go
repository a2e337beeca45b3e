package main

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// trimmedNode is the part of a MachineConfigNode that is kept. To a reflector it is the object.
type trimmedNode struct {
	metav1.TypeMeta
	metav1.ObjectMeta // the name and the resource version; of a bookmark the annotations
	node              progress.Node
	selected          bool
}

// DeepCopyObject returns a shallow copy: what it shares is immutable.
func (n *trimmedNode) DeepCopyObject() runtime.Object {
	other := *n
	return &other
}

// trimmer converts MachineConfigNodes to trimmed nodes, and lets the history observe them.
type trimmer struct {
	selector labels.Selector
	store    *store
}

// transform returns a MachineConfigNode or a MachineConfigPool without unneeded fields.
func (t trimmer) transform(obj runtime.Object) runtime.Object {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		return t.node(o)
	case *mcfgv1.MachineConfigPool:
		return trimPool(o)
	}
	return obj // the status of an error
}

func (t trimmer) node(mcn *mcfgv1.MachineConfigNode) *trimmedNode {
	trimmed := &trimmedNode{ObjectMeta: trimMeta(mcn.ObjectMeta)}
	if mcn.Name == "" {
		return trimmed // a bookmark
	}
	t.store.observe(mcn)
	trimmed.node = progress.Of(mcn)
	trimmed.selected = t.selector == nil || t.selector.Matches(labels.Set(mcn.Labels))
	return trimmed
}

func trimPool(p *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	trimmed := &mcfgv1.MachineConfigPool{ObjectMeta: trimMeta(p.ObjectMeta)}
	trimmed.Spec.Paused = p.Spec.Paused
	trimmed.Spec.MaxUnavailable = p.Spec.MaxUnavailable
	trimmed.Spec.Configuration.Name = p.Spec.Configuration.Name
	trimmed.Status.MachineCount = p.Status.MachineCount
	return trimmed
}

func trimMeta(m metav1.ObjectMeta) metav1.ObjectMeta {
	trimmed := metav1.ObjectMeta{Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	if m.Name == "" {
		trimmed.Annotations = m.Annotations
	}
	return trimmed
}
