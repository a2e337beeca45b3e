package rollout

import (
	"context"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// sync makes the object of a node what it should be.
//
//  1. Where the caches say that nothing has to be done, no request is made.
//  2. Otherwise the Node is read from the API server. The cache of Nodes may be older than what
//     the daemon saw when it wrote the object; a Node that is read after the object cannot be.
//  3. What is written carries the resource version of the object that it was computed
//     from: a later write of the daemon is never undone. An object that is new to the cache
//     is applied without force, for the same reason.
func (c *Controller) sync(ctx context.Context, name string, w *work) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	node, mcn, err := c.cached(name)
	switch {
	case err != nil:
		return err
	case node == nil && mcn != nil:
		w.orphans.AddAfter(orphanKey(mcn), c.config.OrphanGrace)
		return nil
	case node == nil:
		c.told.forget(name)
		return nil
	}
	if p, err := c.plan(ctx, node, mcn); err != nil || p.step == nothing {
		return err
	}
	node, err = c.config.KubeClient.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // an event of that comes
	}
	if err != nil {
		return err
	}
	p, err := c.plan(ctx, node, mcn)
	if err != nil {
		return err
	}
	return c.do(ctx, p)
}

// plan is planFor a node in its primary pool. A pool that cannot be told is left as it is,
// and told about; what else the object should say, it says.
func (c *Controller) plan(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode) (plan, error) {
	pools, err := c.config.Pools.Lister().List(labels.Everything())
	if err != nil {
		return plan{}, err
	}
	primary, conflict := pool.Primary(node, pools)
	c.tell(ctx, node, conflict)
	name := ""
	if primary != nil {
		name = primary.Name
	}
	return planFor(ctx, node, mcn, name, c.config.ImageMode() && !c.noImages.Load()), nil
}

// removeOrphan deletes the object of a Node that is gone, and that no garbage collector
// has taken meanwhile.
func (c *Controller) removeOrphan(ctx context.Context, key string, _ *work) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	name, _, _ := strings.Cut(key, "/")
	node, mcn, err := c.cached(name)
	if err != nil || node != nil || mcn == nil || mcn.DeletionTimestamp != nil || orphanKey(mcn) != key {
		return err
	}
	_, err = c.config.KubeClient.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err // nil: it has come back, an event of that comes
	}
	return c.remove(ctx, mcn, "its Node is gone")
}

// orphanKey has the name and the UID: the next object of a name has a grace of its own.
func orphanKey(mcn *mcfgv1.MachineConfigNode) string {
	return mcn.Name + "/" + string(mcn.UID)
}

// cached returns a node and its object, nil where the cache has none.
func (c *Controller) cached(name string) (*corev1.Node, *mcfgv1.MachineConfigNode, error) {
	node, err := c.config.Nodes.Lister().Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, nil, err
	}
	mcn, err := c.config.MachineConfigNodes.Lister().Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, nil, err
	}
	return node, mcn, nil
}
