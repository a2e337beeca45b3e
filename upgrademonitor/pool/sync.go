package pool

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// sync writes the status of a pool, unless it is up to date.
func (r *reconciler) sync(ctx context.Context, name string) error {
	cached, err := r.config.Pools.Lister().Get(name)
	if apierrors.IsNotFound(err) {
		r.written.Delete(name)
		r.announced.Delete(name)
		r.controller.Forget(name)
		return nil
	}
	if err != nil {
		return err
	}
	pool := r.newer(cached)
	nodes, mcns, err := r.members(name)
	if err != nil {
		return err
	}
	options := Options{Image: r.config.Image(pool), DegradeOnPinnedImageSets: r.config.DegradeOnPinnedImageSets}
	status := Status(pool, nodes, mcns, options, metav1.NewTime(r.config.Clock.Now()))
	if equality.Semantic.DeepEqual(status, pool.Status) {
		return nil
	}
	if err := r.write(ctx, pool, status); err != nil {
		return err
	}
	r.recordEvent(pool, status, newTarget(pool.Spec.Configuration.Name, options.Image).String())
	return nil
}

// members returns the nodes of a pool, and those of their MachineConfigNodes that exist. A node that
// conflicting pools select is a member of none.
func (r *reconciler) members(name string) ([]*corev1.Node, []*mcfgv1.MachineConfigNode, error) {
	pools, _ := r.config.Pools.Lister().List(labels.Everything()) // caches have no error
	selections, err := parse(pools)
	if err != nil {
		return nil, nil, err
	}
	all, _ := r.config.Nodes.Lister().List(labels.Everything())
	var nodes []*corev1.Node
	var mcns []*mcfgv1.MachineConfigNode
	for _, node := range all {
		if pool, err := primary(node, selections); err != nil || pool == nil || pool.Name != name {
			continue
		}
		nodes = append(nodes, node)
		if mcn, err := r.config.MachineConfigNodes.Lister().Get(node.Name); err == nil {
			mcns = append(mcns, mcn)
		}
	}
	return nodes, mcns, nil
}
