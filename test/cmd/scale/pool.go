package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

const (
	poolName    = "worker"
	workerLabel = "node-role.kubernetes.io/worker"

	// poolTimeout is for the pool to be Updated after its last node.
	poolTimeout = 5 * time.Minute
)

// machinePool is the MachineConfigPool of all nodes.
type machinePool struct {
	admin *party
	nodes int
}

func (p *machinePool) create(ctx context.Context, config string) error {
	object := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: poolName},
		Spec: mcfgv1.MachineConfigPoolSpec{
			NodeSelector:  &metav1.LabelSelector{MatchLabels: map[string]string{workerLabel: ""}},
			Configuration: configuration(config),
		},
	}
	_, err := p.admin.mcfg.MachineconfigurationV1().MachineConfigPools().Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("cannot create the pool: %w", err)
	}
	return nil
}

// target sets the desired config of the pool, as the operator does.
func (p *machinePool) target(ctx context.Context, by *party, config string) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"configuration": configuration(config)}})
	if err != nil {
		return err
	}
	_, err = by.mcfg.MachineconfigurationV1().MachineConfigPools().Patch(ctx, poolName, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func configuration(config string) mcfgv1.MachineConfigPoolStatusConfiguration {
	return mcfgv1.MachineConfigPoolStatusConfiguration{ObjectReference: corev1.ObjectReference{Name: config}}
}

// observed is when a watcher received the expected event.
type observed struct {
	at  time.Time
	err error
}

// watchUpdated waits for the pool in the background, and sends when it was updated.
func (p *machinePool) watchUpdated(ctx context.Context) <-chan observed {
	result := make(chan observed, 1)
	go func() {
		at, err := p.waitUpdated(ctx)
		result <- observed{at, err}
	}()
	return result
}

// receive receives from watchUpdated, after all nodes have reported.
func receive(result <-chan observed) (time.Time, error) {
	select {
	case s := <-result:
		return s.at, s.err
	case <-time.After(poolTimeout):
		return time.Time{}, fmt.Errorf("the pool is not Updated %v after its last node", poolTimeout)
	}
}

// waitUpdated returns when a watcher observes that all nodes of the pool have its desired config.
func (p *machinePool) waitUpdated(ctx context.Context) (at time.Time, err error) {
	pools := p.admin.mcfg.MachineconfigurationV1().MachineConfigPools()
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, poolName).String()
	list := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return pools.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return pools.Watch(ctx, options)
		},
	}
	_, err = watchtools.UntilWithSync(ctx, list, &mcfgv1.MachineConfigPool{}, nil, func(event watch.Event) (bool, error) {
		object, ok := event.Object.(*mcfgv1.MachineConfigPool)
		at = time.Now()
		return ok && isUpdated(object, p.nodes), nil
	})
	return at, err
}

// isUpdated reports whether the status of a pool has this many nodes, all with its desired config.
func isUpdated(p *mcfgv1.MachineConfigPool, nodes int) bool {
	if p.Status.ObservedGeneration < p.Generation || int(p.Status.UpdatedMachineCount) != nodes || int(p.Status.MachineCount) != nodes {
		return false
	}
	for _, condition := range p.Status.Conditions {
		if condition.Type == mcfgv1.MachineConfigPoolUpdated {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
