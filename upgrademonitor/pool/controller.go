package pool

import (
	"context"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// The pace of the attempts to write what could not be written.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Controller keeps the status of every MachineConfigPool as Status says. Make it with New.
type Controller struct {
	config Config
	nodes  corelisters.NodeLister
	pools  mcfglisters.MachineConfigPoolLister
	mcns   mcfglisters.MachineConfigNodeLister
}

// New makes a Controller, and asks the factories for the informers that it needs: start them after
// it. It makes no request. A field that cannot be used gives a *ConfigError.
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
//  1. Nothing is written before all caches are filled.
//  2. A pool is looked at when something that Status reads has changed: at once after a quiet
//     time, and no more than once an Interval. The last change is never left out.
//  3. A status that is as it should be is not written: a restart writes nothing.
//  4. What is written is what Status computes, by one merge patch of the status that fails where
//     others wrote first. Then, and after any other failure, the pool is tried again, with
//     backoff and from what the caches say by then.
//  5. A node that two custom pools want is counted in neither. While the nodeSelector of some pool
//     cannot be read, no status is written, for nobody knows whose nodes are whose.
//  6. Its event handlers are removed, and its goroutines have ended or are about to, when it returns.
//
// workers, at least one, is how many pools are looked at at a time. Run may be called again when it has
// returned. An error says that an informer has been stopped.
func (c *Controller) Run(ctx context.Context, workers int) error {
	l := c.newLoop()
	defer l.queue.ShutDown()
	synced, remove, err := l.watch(ctx)
	defer remove()
	if ctx.Err() != nil {
		return nil // the informers may have been stopped with it
	}
	if err != nil {
		return err
	}
	if !cache.WaitFor(ctx, "", synced...) {
		return nil
	}
	var running sync.WaitGroup
	for range max(workers, 1) {
		running.Go(func() {
			for l.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	l.queue.ShutDown()
	running.Wait()
	return nil
}

func (c *Controller) newLoop() *loop {
	return &loop{
		Controller: c,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, lastRetry),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "machineconfigpool-status", Clock: c.config.Clock},
		),
		pace:    pace{interval: c.config.Interval, last: map[string]time.Time{}},
		written: written{pools: map[string]*mcfgv1.MachineConfigPool{}},
	}
}
