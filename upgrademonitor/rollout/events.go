package rollout

import (
	"context"
	"errors"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodepool"
)

// recordConflict records an event of a Node if err is a *nodepool.ConflictError that has no event yet.
func (r *reconciler) recordConflict(ctx context.Context, node *corev1.Node, err error) {
	var conflict *nodepool.ConflictError
	if !errors.As(err, &conflict) {
		r.conflicts.Delete(node.Name)
		return
	}
	text := string(node.UID) + ": " + conflict.Error() // the UID distinguishes a new Node with the same name
	if recorded, _ := r.conflicts.Swap(node.Name, text); recorded == text {
		return
	}
	reference := corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
	r.warn(ctx, reference, "PoolConflict", conflict)
}

// checkSelector records an event if the nodeSelector of a pool is invalid. While it is invalid, the pools
// of all nodes are unknown.
func (r *reconciler) checkSelector(ctx context.Context, p *mcfgv1.MachineConfigPool) {
	_, err := nodepool.Primary(&corev1.Node{}, []*mcfgv1.MachineConfigPool{p})
	if err == nil {
		return
	}
	version := mcfgv1.GroupVersion.String()
	reference := corev1.ObjectReference{APIVersion: version, Kind: "MachineConfigPool", Name: p.Name, UID: p.UID}
	r.warn(ctx, reference, "InvalidNodeSelector", err)
}

// warn logs a problem that only an administrator can resolve, and records an event. object is a
// reference, because a recorder drops events of objects whose type is not in the recorder's scheme.
func (r *reconciler) warn(ctx context.Context, object corev1.ObjectReference, reason string, err error) {
	klog.FromContext(ctx).Error(err,
		"MachineConfigNodes keep their pools until an administrator resolves the problem", "reason", reason)
	if !validate.IsNil(r.Recorder) {
		r.Recorder.Event(&object, corev1.EventTypeWarning, reason, err.Error())
	}
}
