package rollout

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// sync brings the object of a node up to date.
//
//  1. If the caches show that it is, no request is made.
//  2. Otherwise the Node is read from the API server. The cache of Nodes may be older than what
//     the daemon knew when it wrote the object; a Node that is read after the object cannot be.
//  3. A write fails if the object has changed since the cache received it, or exists where the
//     cache has none: a later write of the daemon is never undone.
func (r *reconciler) sync(ctx context.Context, next item) error {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	node, mcn, err := r.cached(next.node)
	switch {
	case err != nil:
		return err
	case node == nil && mcn == nil:
		r.conflicts.Delete(next.node)
		r.windows.Delete(next.node)
		r.frame.Forget(next)
		return nil
	case next.orphan:
		return r.syncOrphan(ctx, next, node, mcn)
	case node == nil:
		r.frame.Queue.AddAfter(item{node: mcn.Name, orphan: true, uid: mcn.UID}, r.config.OrphanGrace)
		return nil
	}
	p, err := r.plan(ctx, node, mcn)
	if err != nil || p.step == none {
		return err
	}
	node, err = r.config.KubeClient.CoreV1().Nodes().Get(ctx, next.node, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // the informer will enqueue it
	}
	if err != nil {
		return err
	}
	if p, err = r.plan(ctx, node, mcn); err != nil {
		return err
	}
	return r.write(ctx, node, p)
}

// plan is planFor a node with its primary pool.
//
//  1. If pools conflict, the object keeps the pool that it has; the rest of it is kept up to date.
//  2. On a cluster without any pool, nothing is done: no daemon of a pool runs there.
//  3. The object of a Windows node is removed once: a process that creates it again keeps it.
func (r *reconciler) plan(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode) (plan, error) {
	pools, err := r.config.Pools.Lister().List(labels.Everything())
	if err != nil || len(pools) == 0 {
		return plan{}, err
	}
	primary, conflict := r.resolver.Primary(node, pools)
	r.recordConflict(ctx, node, conflict)
	name := ""
	if primary != nil {
		name = primary.Name
	}
	p := planFor(ctx, node, mcn, name, r.config.ImageMode())
	if removed, _ := r.windows.Get(node.Name); p.step == remove && removed == node.UID {
		return plan{}, nil
	}
	return p, nil
}

// syncOrphan deletes an object whose Node was deleted, if no garbage collector has. On a cluster
// without any pool it does nothing: the first pool has all objects synced.
func (r *reconciler) syncOrphan(ctx context.Context, next item, node *corev1.Node, mcn *mcfgv1.MachineConfigNode) error {
	if node != nil || mcn.DeletionTimestamp != nil || mcn.UID != next.uid {
		return nil
	}
	if pools, err := r.config.Pools.Lister().List(labels.Everything()); err != nil || len(pools) == 0 {
		return err
	}
	_, err := r.config.KubeClient.CoreV1().Nodes().Get(ctx, next.node, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err // nil: it was created again, the informer will enqueue it
	}
	return r.delete(ctx, mcn, "its Node was deleted")
}

// cached returns a Node and its object, nil if the cache has none.
func (r *reconciler) cached(name string) (*corev1.Node, *mcfgv1.MachineConfigNode, error) {
	node, err := r.config.Nodes.Lister().Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, nil, err
	}
	mcn, err := r.config.MachineConfigNodes.Lister().Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, nil, err
	}
	return node, mcn, nil
}
