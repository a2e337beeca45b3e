package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// patch changes the Node, and waits until the cache, by which the Monitor goes, has it.
func (d *daemon) patch(ctx context.Context, patch string, args ...any) error {
	after, err := d.world.patchNode(ctx, d.node, patch, args...)
	if err != nil {
		return err
	}
	_, err = d.await(ctx, func(node *corev1.Node) bool {
		order, err := resourceversion.CompareResourceVersion(node.ResourceVersion, after.ResourceVersion)
		return err == nil && order >= 0
	})
	return err
}

// await waits until the cached Node is as a check wants it.
func (d *daemon) await(ctx context.Context, is func(*corev1.Node) bool) (*corev1.Node, error) {
	for {
		node, err := d.world.core.Core().V1().Nodes().Lister().Get(d.node)
		if err != nil || is(node) {
			return node, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-d.changed:
		}
	}
}

// pool returns the pool of the node, as the Monitor asks for it.
func (d *daemon) pool(node *corev1.Node) (string, error) {
	pools, err := d.world.mcfg.Machineconfiguration().V1().MachineConfigPools().Lister().List(labels.Everything())
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
