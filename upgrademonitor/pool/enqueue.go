package pool

import (
	"cmp"
	"context"
	"maps"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// watch returns what enqueues the pools whose status may change.
func (r *reconciler) watch(context.Context) []controller.Source {
	return []controller.Source{
		controller.On(r.config.Pools.Informer(), r.onPool),
		controller.On(r.config.Nodes.Informer(), r.onNode),
		controller.On(r.config.MachineConfigNodes.Informer(), r.onMCN),
	}
}

// onPool enqueues a pool that others have changed, or every pool if nodes may have moved between
// them. One that was deleted is enqueued too, so that it is forgotten.
func (r *reconciler) onPool(before, after *mcfgv1.MachineConfigPool) {
	if before != nil && after != nil && equality.Semantic.DeepEqual(before.Spec.NodeSelector, after.Spec.NodeSelector) {
		if !r.isOwnWrite(after) {
			r.controller.Queue.Add(after.Name)
		}
		return
	}
	for _, name := range r.config.Pools.Informer().GetStore().ListKeys() {
		r.controller.Queue.Add(name)
	}
	if after == nil {
		r.controller.Queue.Add(before.Name)
	}
}

// onNode enqueues the pools that a node left and joined, or the one that it stayed in.
func (r *reconciler) onNode(before, after *corev1.Node) {
	if before != nil && after != nil && equalNodes(before, after) {
		return
	}
	left, joined := r.poolOf(before), r.poolOf(after)
	if left != "" && left != joined {
		r.controller.Queue.Add(left)
	}
	if joined != "" {
		r.controller.Queue.Add(joined)
	}
}

// poolOf returns the name of a node's pool, "" if it has none.
func (r *reconciler) poolOf(node *corev1.Node) string {
	if node == nil {
		return ""
	}
	pools, _ := r.config.Pools.Lister().List(labels.Everything()) // a cache has no error
	if pool, err := Primary(node, pools); err == nil && pool != nil {
		return pool.Name
	}
	return ""
}

// equalNodes reports whether two states of a Node are equal to Status and Primary. Heartbeats
// change neither.
func equalNodes(a, b *corev1.Node) bool {
	return a.UID == b.UID &&
		isReady(a) == isReady(b) &&
		a.Spec.Unschedulable == b.Spec.Unschedulable &&
		IsWindows(a) == IsWindows(b) &&
		a.Annotations[nodemeta.CurrentImage] == b.Annotations[nodemeta.CurrentImage] &&
		a.Annotations[nodemeta.DesiredImage] == b.Annotations[nodemeta.DesiredImage] &&
		maps.Equal(a.Labels, b.Labels)
}

// onMCN enqueues the pool of an object's node. If the Node is missing, its own event will.
func (r *reconciler) onMCN(before, after *mcfgv1.MachineConfigNode) {
	if before != nil && after != nil && reportOf(before) == reportOf(after) &&
		equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences) {
		return
	}
	if node, err := r.config.Nodes.Lister().Get(cmp.Or(after, before).Name); err == nil {
		r.onNode(nil, node)
	}
}
