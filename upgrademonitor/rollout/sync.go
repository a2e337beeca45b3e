package rollout

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// sync brings the object of a node up to date.
//
//  1. If the caches show that it is, no request is made.
//  2. Otherwise the Node is read from the API server. The cache of Nodes may be older than what
//     the daemon knew when it wrote the object; a Node that is read after the object cannot be.
//  3. A write carries the resource version of the object that it was computed from: a later
//     write of the daemon is never undone. An object that the cache does not contain is applied
//     without force, for the same reason. If this controller has created it, and its pool or
//     config is not known now, it is read first: an apply without them would replace its own.
func (r *reconciler) sync(ctx context.Context, next item) error {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	node, mcn, err := r.cached(next.node)
	switch {
	case err != nil:
		return err
	case node == nil && mcn != nil:
		r.queue.AddAfter(item{node: mcn.Name, orphan: true, uid: mcn.UID}, r.config.OrphanGrace)
		return nil
	case node == nil:
		r.conflicts.forget(next.node)
		r.windows.forget(next.node)
		r.created.forget(next.node)
		r.failures.Forget(next.node)
		return nil
	}
	p, err := r.plan(ctx, node, mcn)
	if err != nil || p.step == none {
		return err
	}
	if p.isIncomplete() && r.created.has(next.node, "") {
		if mcn, err = r.read(ctx, next.node); err != nil {
			return err
		}
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
	return r.execute(ctx, node, p)
}

// plan is planFor a node with its primary pool.
//
//  1. If pools conflict, the object keeps the pool that it has; the rest of it is kept up to date.
//  2. On a cluster without any pool, nothing is done: no daemon of a pool runs there.
//  3. The object of a Windows node is removed once: a process that creates it again keeps it.
func (r *reconciler) plan(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode) (plan, error) {
	pools, err := r.config.Pools.Lister().List(labels.Everything())
	if err != nil {
		return plan{}, err
	}
	if len(pools) == 0 {
		return plan{step: none, current: mcn}, nil
	}
	primary, conflict := r.resolver.Primary(node, pools)
	r.recordConflict(ctx, node, conflict)
	name := ""
	if primary != nil {
		name = primary.Name
	}
	imageMode := r.config.ImageMode() && r.images.isUsable(r.config.Clock.Now())
	p := planFor(ctx, node, mcn, name, imageMode)
	if p.step == remove && r.windows.has(node.Name, string(node.UID)) {
		p.step = none
	}
	return p, nil
}

// syncOrphan deletes an object whose Node was deleted, if no garbage collector has. On a cluster
// without any pool it does nothing: the first pool has all objects synced.
func (r *reconciler) syncOrphan(ctx context.Context, next item) error {
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	node, mcn, err := r.cached(next.node)
	if err != nil || node != nil || mcn == nil || mcn.DeletionTimestamp != nil || mcn.UID != next.uid {
		return err
	}
	if pools, err := r.config.Pools.Lister().List(labels.Everything()); err != nil || len(pools) == 0 {
		return err
	}
	_, err = r.config.KubeClient.CoreV1().Nodes().Get(ctx, next.node, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err // nil: it was created again, the informer will enqueue it
	}
	return r.delete(ctx, mcn, "its Node was deleted")
}

// read returns an object as the API server has it, nil if there is none.
func (r *reconciler) read(ctx context.Context, name string) (*mcfgv1.MachineConfigNode, error) {
	mcn, err := r.client().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) && apierr.Classify(err) != apierr.NoCRD {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get MachineConfigNode %s: %w", name, err)
	}
	return mcn, nil
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
