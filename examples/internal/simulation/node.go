package simulation

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// patch changes the Node, and waits until the informer, which the Monitor reads, has the change.
func (d *daemon) patch(ctx context.Context, patch string, args ...any) error {
	after, err := d.cluster.patchNode(ctx, d.node, patch, args...)
	if err != nil {
		return err
	}
	_, err = d.waitFor(ctx, func(node *corev1.Node) bool {
		order, err := resourceversion.CompareResourceVersion(node.ResourceVersion, after.ResourceVersion)
		return err == nil && order >= 0
	})
	return err
}

// waitFor waits until the Node in the informer passes a check.
func (d *daemon) waitFor(ctx context.Context, check func(*corev1.Node) bool) (*corev1.Node, error) {
	for {
		node, err := d.cluster.Nodes().Lister().Get(d.node)
		if err != nil || check(node) {
			return node, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-d.changed:
		}
	}
}

// waitForObject waits until the operator has created the node's MachineConfigNode.
func (d *daemon) waitForObject(ctx context.Context) error {
	for {
		_, err := d.cluster.MachineConfigNodes().Lister().Get(d.node)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-d.changed:
		}
	}
}

// pool returns the name of the node's pool, see upgrademonitor.Config.
func (d *daemon) pool(node *corev1.Node) (string, error) {
	pools, err := d.cluster.Pools().Lister().List(labels.Everything())
	if err != nil {
		return "", err
	}
	primary, err := pool.Primary(node, pools)
	if err != nil || primary == nil {
		return "", err
	}
	return primary.Name, nil
}

func current(node *corev1.Node) string {
	return node.Annotations[upgrademonitor.CurrentConfigAnnotation]
}

func desired(node *corev1.Node) string {
	return node.Annotations[upgrademonitor.DesiredConfigAnnotation]
}
