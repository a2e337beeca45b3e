package pool

import (
	"context"
	"sync/atomic"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
)

// Controller keeps the status of every MachineConfigPool as Status computes it. Create it with New.
type Controller struct {
	config  Config
	running atomic.Pointer[reconciler]
}

// New returns a Controller, and requests the informers that it needs from their factories: start
// those after it. It makes no request. An invalid field is a *field.Error.
func New(config Config) (*Controller, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	config.Nodes.Informer()
	config.Pools.Informer()
	config.MachineConfigNodes.Informer()
	return &Controller{config: config}, nil
}

// Run keeps the status of the pools until ctx ends; then it returns nil.
//
//  1. Nothing is written before all caches have synced.
//  2. A pool is synced when something that Status reads has changed: at once after a quiet
//     time, and at most once an Interval. The last change is never left out.
//  3. A status that is up to date is not written: a restart writes nothing.
//  4. What is written is what Status computes, by one merge patch of the status that fails if
//     another process wrote first. Then the pool is synced again with the event of that write, or
//     within a second; after any other failure with backoff.
//  5. A node that conflicting pools select is counted in none of them. While the nodeSelector of
//     any pool is invalid, no status is written, since the nodes of every pool depend on it.
//  6. A failure is logged as an error when it begins, again when its cause changes, and once when
//     it is over.
//  7. Its event handlers are removed and its workers have returned when it returns.
//
// workers, at least one, is how many pools are synced at a time. Run may be called again after it
// has returned. An error means that an informer has been stopped.
func (c *Controller) Run(ctx context.Context, workers int) error {
	r := c.newReconciler()
	c.running.Store(r)
	defer c.running.CompareAndSwap(r, nil)
	return r.controller.Run(ctx, workers)
}

// Enqueue has a pool synced, because the result of Config.Image has changed for it: call it when
// its MachineOSConfig or its MachineOSBuild does. Without a Run it does nothing.
func (c *Controller) Enqueue(poolName string) {
	if r := c.running.Load(); r != nil {
		r.controller.Queue.Add(poolName)
	}
}

// reconciler is one Run of a Controller.
type reconciler struct {
	*Controller
	controller *controller.Controller
	// written is each pool as this process last wrote it, since the informer lags behind. A write
	// that is computed from an older object is an unnecessary conflict.
	written   controller.Memory[*mcfgv1.MachineConfigPool]
	announced controller.Memory[announced]
}

func (c *Controller) newReconciler() *reconciler {
	r := &reconciler{Controller: c}
	r.controller = controller.New(controller.Options{
		Name:     "machineconfigpool-status",
		Kind:     "MachineConfigPool",
		Watch:    r.watch,
		Sync:     r.sync,
		Interval: c.config.Interval,
		Clock:    c.config.Clock,
	})
	return r
}
