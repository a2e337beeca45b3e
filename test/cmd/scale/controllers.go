package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/examples/operator/pools"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// startControllers starts the controller of package rollout and the loop of
// examples/operator/pools, and waits until their informers have synced. The controllers share one
// watch per resource. stop stops the controllers, and waits until they have returned.
func startControllers(ctx context.Context, c *client) (stop func() error, err error) {
	core := informers.NewSharedInformerFactoryWithOptions(c.core, 0, informers.WithTransform(trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(c.mcfg, 0, mcfginformers.WithTransform(trim))
	nodes := core.Core().V1().Nodes()
	objects := mcfg.Machineconfiguration().V1()
	controller, err := rollout.New(rollout.Config{
		Client:             c.mcfg,
		KubeClient:         c.core,
		Nodes:              nodes,
		Pools:              objects.MachineConfigPools(),
		MachineConfigNodes: objects.MachineConfigNodes(),
	})
	if err != nil {
		return nil, err
	}
	statuses := pools.New(c.mcfg, nodes, objects, &record.FakeRecorder{}) // no events
	ctx, cancel := context.WithCancel(ctx)
	core.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	var running sync.WaitGroup
	var errs [2]error
	running.Go(func() { errs[0] = controller.Run(ctx, 4) })
	running.Go(func() { errs[1] = statuses.Run(ctx) })
	core.WaitForCacheSync(ctx.Done())
	mcfg.WaitForCacheSync(ctx.Done())
	return func() error {
		cancel()
		running.Wait()
		core.Shutdown()
		mcfg.Shutdown()
		return errors.Join(errs[:]...)
	}, nil
}

// trim removes managed fields, and the images of Nodes, as a controller for many nodes should.
func trim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	if node, ok := object.(*corev1.Node); ok {
		node.Status.Images = nil
	}
	return object, nil
}

func createPool(ctx context.Context, c *client) error {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{workerLabel: ""}}
	object := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: poolName},
		Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: selector},
	}
	_, err := c.mcfg.MachineconfigurationV1().MachineConfigPools().Create(ctx, object, metav1.CreateOptions{})
	return err
}

// setTarget sets the config in the spec of the pool, as the operator does.
func setTarget(ctx context.Context, c *client, config string) error {
	patch := fmt.Appendf(nil, `{"spec":{"configuration":{"name":%q}}}`, config)
	pools := c.mcfg.MachineconfigurationV1().MachineConfigPools()
	_, err := pools.Patch(ctx, poolName, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// waitUpdated returns when the pool has this number of nodes and its condition Updated is True.
func waitUpdated(ctx context.Context, c *client, nodes int) error {
	var last mcfgv1.MachineConfigPoolStatus
	isDone := func(ctx context.Context) (bool, error) {
		p, err := c.mcfg.MachineconfigurationV1().MachineConfigPools().Get(ctx, poolName, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = p.Status
		isUpdated := slices.ContainsFunc(last.Conditions, func(c mcfgv1.MachineConfigPoolCondition) bool {
			return c.Type == mcfgv1.MachineConfigPoolUpdated && c.Status == corev1.ConditionTrue
		})
		return isUpdated && last.ObservedGeneration >= p.Generation && int(last.MachineCount) == nodes, nil
	}
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 5*time.Minute, true, isDone)
	if err != nil {
		return fmt.Errorf("the pool has %d of %d nodes updated: %w", last.UpdatedMachineCount, nodes, err)
	}
	return nil
}
