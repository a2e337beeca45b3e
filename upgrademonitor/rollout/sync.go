package rollout

import (
	"context"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// orphan is an object whose Node was deleted.
type orphan struct {
	uid   types.UID
	since time.Time
}

// sync brings the object of a node up to date.
//
//  1. If the caches show that it is, no request is made.
//  2. Otherwise the Node is read from the API server. The cache of Nodes may be older than what
//     the daemon knew when it wrote the object; a Node that is read after the object cannot be.
//  3. A write fails if the object has changed since the cache received it, or exists where the
//     cache has none: a later write of the daemon is never undone.
func (r *reconciler) sync(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	node, _ := r.config.Nodes.Lister().Get(name)             // nil if there is none: a cache
	mcn, _ := r.config.MachineConfigNodes.Lister().Get(name) // has no other error
	switch {
	case node == nil && mcn == nil:
		r.conflicts.Delete(name)
		r.windows.Delete(name)
		r.orphans.Delete(name)
		r.controller.Forget(name)
		return nil
	case node == nil:
		return r.syncOrphan(ctx, mcn)
	}
	r.orphans.Delete(name)
	a, err := r.action(ctx, node, mcn)
	if err != nil || a == (action{}) {
		return err
	}
	node, err = r.config.KubeClient.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // the informer will enqueue it
	}
	if err != nil {
		return err
	}
	if a, err = r.action(ctx, node, mcn); err != nil || a == (action{}) {
		return err
	}
	if err := r.write(ctx, mcn, a); err != nil {
		return err
	}
	if pool.IsWindows(node) {
		r.windows.Set(name, node.UID)
	}
	return nil
}

// action is actionFor a node with its primary pool.
//
//  1. If pools conflict, the object keeps the pool that it has; the rest of it is kept up to date.
//  2. On a cluster without any pool, nothing is done: no daemon of a pool runs there.
//  3. The object of a Windows node is deleted once: a process that creates it again keeps it.
func (r *reconciler) action(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode) (action, error) {
	pools, err := r.config.Pools.Lister().List(labels.Everything())
	if err != nil || len(pools) == 0 {
		return action{}, err
	}
	primary, conflict := pool.Primary(node, pools)
	r.recordConflict(ctx, node, conflict)
	if deleted, _ := r.windows.Get(node.Name); pool.IsWindows(node) && deleted == node.UID {
		return action{}, nil
	}
	name := ""
	if primary != nil {
		name = primary.Name
	}
	return actionFor(ctx, node, mcn, name, r.inImageMode(mcn)), nil
}

// inImageMode reports whether the object of a node, nil for a new one, is that of image mode.
func (r *reconciler) inImageMode(mcn *mcfgv1.MachineConfigNode) bool {
	if r.config.ImageMode != nil {
		return r.config.ImageMode()
	}
	return mcn != nil && isImageMode(mcn)
}

// syncOrphan deletes an object whose Node was deleted, if no garbage collector has within the
// OrphanGrace. On a cluster without any pool it does nothing: the first pool has all objects synced.
func (r *reconciler) syncOrphan(ctx context.Context, mcn *mcfgv1.MachineConfigNode) error {
	pools, err := r.config.Pools.Lister().List(labels.Everything())
	if err != nil || len(pools) == 0 || mcn.DeletionTimestamp != nil {
		return err
	}
	now := r.config.Clock.Now()
	known, ok := r.orphans.Get(mcn.Name)
	if !ok || known.uid != mcn.UID {
		known = orphan{mcn.UID, now}
		r.orphans.Set(mcn.Name, known)
	}
	if rest := known.since.Add(r.config.OrphanGrace).Sub(now); rest > 0 {
		r.controller.Queue.AddAfter(mcn.Name, rest)
		return nil
	}
	_, err = r.config.KubeClient.CoreV1().Nodes().Get(ctx, mcn.Name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err // nil: it was created again, the informer will enqueue it
	}
	return r.write(ctx, mcn, action{deletion: "its Node was deleted"})
}

// isImageMode reports whether an object has the conditions of image mode.
func isImageMode(mcn *mcfgv1.MachineConfigNode) bool {
	return plan.ModeOfObject.IsImage(mcn.Status.Conditions)
}
