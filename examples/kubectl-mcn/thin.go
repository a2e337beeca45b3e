package main

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// thinNode is the part of a MachineConfigNode that is kept. To a reflector it is the object.
type thinNode struct {
	metav1.TypeMeta
	metav1.ObjectMeta // the name and the resource version; of a bookmark the annotations
	node              progress.Node
	selected          bool
}

// DeepCopyObject returns a shallow copy: what it shares is immutable.
func (n *thinNode) DeepCopyObject() runtime.Object {
	other := *n
	return &other
}

// thinner converts MachineConfigNodes to thin nodes, and lets the history observe them.
type thinner struct {
	selector labels.Selector
	store    *store
}

// transform returns a MachineConfigNode or a MachineConfigPool without unneeded fields.
func (t thinner) transform(obj runtime.Object) runtime.Object {
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		return t.node(o)
	case *mcfgv1.MachineConfigPool:
		return thinPool(o)
	}
	return obj // the status of an error
}

func (t thinner) node(mcn *mcfgv1.MachineConfigNode) *thinNode {
	thin := &thinNode{ObjectMeta: thinMeta(mcn.ObjectMeta)}
	if mcn.Name == "" {
		return thin // a bookmark
	}
	t.store.observe(mcn)
	thin.node = progress.Of(mcn)
	thin.selected = t.selector == nil || t.selector.Matches(labels.Set(mcn.Labels))
	return thin
}

func thinPool(p *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	thin := &mcfgv1.MachineConfigPool{ObjectMeta: thinMeta(p.ObjectMeta)}
	thin.Spec.Paused = p.Spec.Paused
	thin.Spec.MaxUnavailable = p.Spec.MaxUnavailable
	thin.Spec.Configuration.Name = p.Spec.Configuration.Name
	thin.Status.MachineCount = p.Status.MachineCount
	return thin
}

func thinMeta(m metav1.ObjectMeta) metav1.ObjectMeta {
	thin := metav1.ObjectMeta{Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	if m.Name == "" {
		thin.Annotations = m.Annotations
	}
	return thin
}
