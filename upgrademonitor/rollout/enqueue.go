package rollout

import (
	"cmp"
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// watch returns what enqueues the nodes whose object may have to change.
func (r *reconciler) watch(ctx context.Context) []controller.Source {
	return []controller.Source{
		controller.On(r.config.Nodes.Informer(), r.onNode),
		controller.On(r.config.MachineConfigNodes.Informer(), r.onMCN),
		controller.On(r.config.Pools.Informer(), func(before, after *mcfgv1.MachineConfigPool) { r.onPool(ctx, before, after) }),
	}
}

// onNode ignores the heartbeats of a kubelet, most of the changes of a Node.
func (r *reconciler) onNode(before, after *corev1.Node) {
	if before == nil || after == nil || !equalNodes(before, after) {
		r.controller.Queue.Add(cmp.Or(after, before).Name)
	}
}

// onMCN enqueues the node of an object, which has the same name. It ignores changes of the status,
// most of the changes of an object, but for that of its mode.
func (r *reconciler) onMCN(before, after *mcfgv1.MachineConfigNode) {
	if before == nil || after == nil || before.UID != after.UID || before.Spec != after.Spec || isImageMode(before) != isImageMode(after) ||
		!equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences) {
		r.controller.Queue.Add(cmp.Or(after, before).Name)
	}
}

// onPool enqueues all nodes, since they may be selected by other pools than before, and all
// objects, since one without a Node may be deleted as soon as there is a pool.
func (r *reconciler) onPool(ctx context.Context, before, after *mcfgv1.MachineConfigPool) {
	if before != nil && after != nil && equality.Semantic.DeepEqual(before.Spec.NodeSelector, after.Spec.NodeSelector) {
		return
	}
	if after != nil {
		r.checkSelector(ctx, after)
	}
	for _, node := range r.config.Nodes.Informer().GetStore().ListKeys() {
		r.controller.Queue.Add(node)
	}
	for _, node := range r.config.MachineConfigNodes.Informer().GetStore().ListKeys() {
		r.controller.Queue.Add(node)
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
	return a.UID == b.UID && nodemeta.IsProvisioned(a) == nodemeta.IsProvisioned(b) &&
		a.Status.NodeInfo.OperatingSystem == b.Status.NodeInfo.OperatingSystem &&
		equality.Semantic.DeepEqual(a.Labels, b.Labels)
}
