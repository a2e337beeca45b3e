package rollout

import (
	"context"
	"errors"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// The reasons of the warning events: of a Node that conflicting pools select, and of a pool whose
// nodeSelector is invalid, so that the nodes of every pool are unknown.
const (
	PoolConflict    = "PoolConflict"
	InvalidSelector = "InvalidNodeSelector"
)

// recordConflict records the conflict of pools over a node as an event, once, and forgets one that
// is resolved. An invalid selector is no conflict: checkSelector records it.
func (r *reconciler) recordConflict(ctx context.Context, node *corev1.Node, err error) {
	var conflict *pool.ConflictError
	if !errors.As(err, &conflict) {
		r.conflicts.Delete(node.Name)
		return
	}
	// A Node that was deleted and created again is another one.
	text := string(node.UID) + ": " + conflict.Error()
	if recorded, _ := r.conflicts.Get(node.Name); recorded != text {
		r.conflicts.Set(node.Name, text)
		reference := &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
		r.recordWarning(ctx, reference, PoolConflict, conflict)
	}
}

// checkSelector records a pool whose nodeSelector is invalid as an event.
func (r *reconciler) checkSelector(ctx context.Context, p *mcfgv1.MachineConfigPool) {
	var invalid *pool.SelectorError
	if _, err := pool.Primary(&corev1.Node{}, []*mcfgv1.MachineConfigPool{p}); errors.As(err, &invalid) {
		reference := &corev1.ObjectReference{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool", Name: p.Name, UID: p.UID}
		r.recordWarning(ctx, reference, InvalidSelector, invalid)
	}
}

// recordWarning logs what only an administrator can resolve, and records it as an event. The
// object is given as a reference, so that the recorder's scheme need not contain its type: a
// recorder drops the event of an object that it cannot refer to.
func (r *reconciler) recordWarning(ctx context.Context, object *corev1.ObjectReference, reason string, err error) {
	klog.FromContext(ctx).Error(err, "Keeping the pools of the MachineConfigNodes", "reason", reason)
	if r.config.Recorder != nil {
		r.config.Recorder.Event(object, corev1.EventTypeWarning, reason, err.Error())
	}
}
