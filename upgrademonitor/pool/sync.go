package pool

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
)

// sync writes the status of a pool, unless it is up to date.
func (r *reconciler) sync(ctx context.Context, name string) error {
	cached, err := r.pools.Get(name)
	if apierrors.IsNotFound(err) {
		r.written.Delete(name)
		r.frame.Forget(name)
		return nil
	}
	if err != nil {
		return err
	}
	pool := r.newer(cached)
	nodes, mcns, err := r.members(ctx, name)
	if err != nil {
		return err
	}
	options := Options{Image: r.config.Image(pool), DegradeOnPinnedImageSets: r.config.DegradeOnPinnedImageSets}
	status := Status(pool, nodes, mcns, options, metav1.NewTime(r.config.Clock.Now()))
	if equality.Semantic.DeepEqual(status, pool.Status) {
		return nil
	}
	return r.write(ctx, pool, status)
}

// members returns the nodes of a pool, and those of their MachineConfigNodes that exist.
func (r *reconciler) members(ctx context.Context, name string) ([]*corev1.Node, []*mcfgv1.MachineConfigNode, error) {
	pools, err := r.pools.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}
	selections := r.resolver.selections(pools)
	var own *selection
	for _, s := range selections {
		if s.err != nil {
			return nil, nil, s.err
		}
		if s.pool.Name == name {
			own = s
		}
	}
	if own == nil {
		return nil, nil, nil // it was deleted meanwhile
	}
	all, err := r.nodes.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}
	var nodes []*corev1.Node
	var mcns []*mcfgv1.MachineConfigNode
	for _, node := range all {
		if !own.selects(node) {
			continue
		}
		pool, err := primary(node, selections)
		if err != nil {
			klog.FromContext(ctx).V(4).Info("Skipping a node of conflicting pools", "pool", name, "err", err)
			continue
		}
		if pool == nil || pool.Name != name {
			continue
		}
		nodes = append(nodes, node)
		if mcn, err := r.mcns.Get(node.Name); err == nil {
			mcns = append(mcns, mcn)
		}
	}
	return nodes, mcns, nil
}
