package pool

import (
	"context"
	"errors"
	"maps"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeannotation"
)

// watch has the informers enqueue the pools whose status may change.
func (r *reconciler) watch(ctx context.Context, set *handlers.Set) error {
	return errors.Join(
		set.Add(ctx, r.config.Pools.Informer(), handlers.Funcs[*mcfgv1.MachineConfigPool]{
			Add: r.enqueueAll, Update: r.onPoolUpdate, Delete: r.enqueueAll,
		}),
		set.Add(ctx, r.config.Nodes.Informer(), handlers.Funcs[*corev1.Node]{
			Add: r.enqueueNode, Update: r.onNodeUpdate, Delete: r.enqueueNode,
		}),
		set.Add(ctx, r.config.MachineConfigNodes.Informer(), handlers.Funcs[*mcfgv1.MachineConfigNode]{
			Add: r.enqueueMCN, Update: r.onMCNUpdate, Delete: r.enqueueMCN,
		}),
	)
}

// enqueueAll enqueues every pool, since nodes may have moved between them, and the changed one
// too if it was deleted, so that it is forgotten.
func (r *reconciler) enqueueAll(changed *mcfgv1.MachineConfigPool) {
	pools, err := r.pools.List(labels.Everything())
	if err != nil {
		return // the cache of an informer never fails
	}
	for _, pool := range pools {
		r.frame.Queue.Add(pool.Name)
	}
	if _, err := r.pools.Get(changed.Name); err != nil {
		r.frame.Queue.Add(changed.Name)
	}
}

func (r *reconciler) onPoolUpdate(before, after *mcfgv1.MachineConfigPool) {
	switch {
	case !equality.Semantic.DeepEqual(before.Spec.NodeSelector, after.Spec.NodeSelector):
		r.enqueueAll(after)
	case !r.isOwnWrite(after):
		r.frame.Queue.Add(after.Name)
	}
}

// enqueueNode enqueues the pool of a node, if it has one.
func (r *reconciler) enqueueNode(node *corev1.Node) {
	if name := r.poolOf(node); name != "" {
		r.frame.Queue.Add(name)
	}
}

// onNodeUpdate enqueues the pools that a node left and joined, or the one that it stayed in.
func (r *reconciler) onNodeUpdate(before, after *corev1.Node) {
	if equalNodes(before, after) {
		return
	}
	if r.poolOf(before) != r.poolOf(after) {
		r.enqueueNode(before)
	}
	r.enqueueNode(after)
}

// poolOf returns the name of a node's pool, "" if it has none.
func (r *reconciler) poolOf(node *corev1.Node) string {
	pools, err := r.pools.List(labels.Everything())
	if err != nil {
		return ""
	}
	if pool, err := r.resolver.Primary(node, pools); err == nil && pool != nil {
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
		a.Annotations[nodeannotation.CurrentImage] == b.Annotations[nodeannotation.CurrentImage] &&
		a.Annotations[nodeannotation.DesiredImage] == b.Annotations[nodeannotation.DesiredImage] &&
		maps.Equal(a.Labels, b.Labels)
}

// enqueueMCN enqueues the pool of the object's node. If the Node is missing, its own event will.
func (r *reconciler) enqueueMCN(mcn *mcfgv1.MachineConfigNode) {
	if node, err := r.nodes.Get(mcn.Name); err == nil {
		r.enqueueNode(node)
	}
}

func (r *reconciler) onMCNUpdate(before, after *mcfgv1.MachineConfigNode) {
	if reportOf(before) != reportOf(after) || !equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences) {
		r.enqueueMCN(after)
	}
}
