package pool

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
)

// The backoff of failed syncs, and how many conflicts in a row are no failure yet.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	maxConflicts  = 5
)

// Controller keeps the status of every MachineConfigPool as Status computes it. Create it with New.
type Controller struct {
	config Config
	nodes  corelisters.NodeLister
	pools  mcfglisters.MachineConfigPoolLister
	mcns   mcfglisters.MachineConfigNodeLister

	running atomic.Pointer[reconciler]
}

// New returns a Controller, and requests the informers that it needs from their factories: start
// those after it. It makes no request. An invalid field is a *field.Error.
func New(config Config) (*Controller, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	return &Controller{
		config: config,
		nodes:  config.Nodes.Lister(),
		pools:  config.Pools.Lister(),
		mcns:   config.MachineConfigNodes.Lister(),
	}, nil
}

// Run keeps the status of the pools until ctx ends; then it returns nil.
//
//  1. Nothing is written before all caches have synced.
//  2. A pool is synced when something that Status reads has changed: at once after a quiet
//     time, and at most once an Interval. The last change is never left out.
//  3. A status that is up to date is not written: a restart writes nothing.
//  4. What is written is what Status computes, by one merge patch of the status that fails if
//     another process wrote first. Then, and after any other failure, the pool is synced again, with
//     backoff and from what the caches contain by then.
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
	defer r.queue.ShutDown()
	c.running.Store(r)
	defer c.running.CompareAndSwap(r, nil)
	err := r.run(ctx, max(workers, 1))
	if ctx.Err() != nil {
		err = nil // the informers may have been stopped with it
	}
	return errors.Join(err, r.handlers.Remove())
}

// Enqueue has a pool synced, because the result of Config.Image has changed for it: call it when
// its MachineOSConfig or its MachineOSBuild does. Without a Run it does nothing.
func (c *Controller) Enqueue(poolName string) {
	if r := c.running.Load(); r != nil {
		r.queue.Add(poolName)
	}
}

// reconciler is one Run of a Controller.
type reconciler struct {
	*Controller
	handlers handlers.Set
	queue    workqueue.TypedRateLimitingInterface[string] // names of pools
	limiter  limiter
	resolver Resolver
	writes   writeCache
	failures failurelog.Keyed // by pool
}

func (c *Controller) newReconciler() *reconciler {
	return &reconciler{
		Controller: c,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](minRetryDelay, maxRetryDelay),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "machineconfigpool-status", Clock: c.config.Clock},
		),
		limiter: limiter{interval: c.config.Interval, last: map[string]time.Time{}},
		writes:  writeCache{pools: map[string]*mcfgv1.MachineConfigPool{}},
	}
}

func (r *reconciler) run(ctx context.Context, workers int) error {
	if err := r.addHandlers(ctx); err != nil {
		return err
	}
	if !cache.WaitFor(ctx, "", r.handlers.Synced()...) {
		return nil
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for r.processNextItem(ctx) {
			}
		})
	}
	<-ctx.Done()
	r.queue.ShutDown()
	running.Wait()
	return nil
}

// processNextItem syncs the next pool of the queue. It returns false when the queue is shut down.
func (r *reconciler) processNextItem(ctx context.Context) bool {
	name, shutdown := r.queue.Get()
	if shutdown {
		return false
	}
	defer r.queue.Done(name)
	if ctx.Err() != nil {
		return false
	}
	if delay := r.limiter.delay(name, r.config.Clock.Now()); delay > 0 {
		r.queue.AddAfter(name, delay)
		return true
	}
	r.handleResult(ctx, name, r.sync(ctx, name))
	return true
}

// handleResult requeues a pool that failed. A conflict with another writer is expected, unless it
// persists.
func (r *reconciler) handleResult(ctx context.Context, name string, err error) {
	switch {
	case err == nil:
		r.failures.Recovered(ctx, name, "Synced the status of a MachineConfigPool again", "pool", name)
		r.queue.Forget(name)
		return
	case ctx.Err() != nil:
		return
	case apierr.Classify(err) == apierr.Conflict && r.queue.NumRequeues(name) < maxConflicts:
		klog.FromContext(ctx).V(2).Info("Another process wrote the MachineConfigPool first, retrying", "pool", name)
	default:
		r.failures.Failed(ctx, name, err, "Failed to sync the status of a MachineConfigPool, retrying", "pool", name)
	}
	r.queue.AddRateLimited(name)
}
