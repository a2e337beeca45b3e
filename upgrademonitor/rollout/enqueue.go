package rollout

import (
	"context"
	"errors"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
)

// watch has the informers enqueue the nodes whose object may have to change.
func (r *reconciler) watch(ctx context.Context, set *handlers.Set) error {
	return errors.Join(
		set.Add(ctx, r.config.Nodes.Informer(), handlers.Funcs[*corev1.Node]{
			Add: r.enqueueNode, Update: r.onNodeUpdate, Delete: r.enqueueNode,
		}),
		set.Add(ctx, r.config.MachineConfigNodes.Informer(), handlers.Funcs[*mcfgv1.MachineConfigNode]{
			Add: r.enqueueMCN, Update: r.onMCNUpdate, Delete: r.enqueueMCN,
		}),
		set.Add(ctx, r.config.Pools.Informer(), handlers.Funcs[*mcfgv1.MachineConfigPool]{
			Add:    func(p *mcfgv1.MachineConfigPool) { r.onPoolAdd(ctx, p) },
			Update: func(before, after *mcfgv1.MachineConfigPool) { r.onPoolUpdate(ctx, before, after) },
			Delete: func(*mcfgv1.MachineConfigPool) { r.enqueueAll(ctx) },
		}),
	)
}

func (r *reconciler) enqueueNode(node *corev1.Node) { r.frame.Queue.Add(item{node: node.Name}) }

// onNodeUpdate ignores the heartbeats of a kubelet, most of the changes of a Node.
func (r *reconciler) onNodeUpdate(before, after *corev1.Node) {
	if !equalNodes(before, after) {
		r.enqueueNode(after)
	}
}

// enqueueMCN enqueues the node of an object, which has the same name.
func (r *reconciler) enqueueMCN(mcn *mcfgv1.MachineConfigNode) {
	r.frame.Queue.Add(item{node: mcn.Name})
}

// onMCNUpdate ignores changes of the status, most of the changes of an object.
func (r *reconciler) onMCNUpdate(before, after *mcfgv1.MachineConfigNode) {
	if before.UID != after.UID || before.Spec != after.Spec ||
		!equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences) {
		r.enqueueMCN(after)
	}
}

func (r *reconciler) onPoolAdd(ctx context.Context, p *mcfgv1.MachineConfigPool) {
	r.checkSelector(ctx, p)
	r.enqueueAll(ctx)
}

func (r *reconciler) onPoolUpdate(ctx context.Context, before, after *mcfgv1.MachineConfigPool) {
	if !equality.Semantic.DeepEqual(before.Spec.NodeSelector, after.Spec.NodeSelector) {
		r.onPoolAdd(ctx, after)
	}
}

// enqueueAll enqueues all nodes, since they may be selected by other pools than before, and all
// objects, since one without a Node may be deleted as soon as there is a pool.
func (r *reconciler) enqueueAll(ctx context.Context) {
	nodes, err := r.config.Nodes.Lister().List(labels.Everything())
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to list the Nodes of the informer")
	}
	for _, node := range nodes {
		r.enqueueNode(node)
	}
	mcns, err := r.config.MachineConfigNodes.Lister().List(labels.Everything())
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to list the MachineConfigNodes of the informer")
	}
	for _, mcn := range mcns {
		r.enqueueMCN(mcn)
	}
}

// equalNodes reports whether two states of a Node lead to the same object.
func equalNodes(a, b *corev1.Node) bool {
	for _, annotation := range []string{
		upgrademonitor.CurrentConfigAnnotation, upgrademonitor.DesiredConfigAnnotation,
		upgrademonitor.CurrentImageAnnotation, upgrademonitor.DesiredImageAnnotation,
	} {
		if a.Annotations[annotation] != b.Annotations[annotation] {
			return false
		}
	}
	return a.UID == b.UID && nodeowner.IsProvisioned(a) == nodeowner.IsProvisioned(b) &&
		a.Status.NodeInfo.OperatingSystem == b.Status.NodeInfo.OperatingSystem &&
		equality.Semantic.DeepEqual(a.Labels, b.Labels)
}
