package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
)

// The backoff of failed syncs, and how many conflicts in a row are no failure yet.
const (
	minRetryDelay = 50 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	maxConflicts  = 5
)

// Options configures a Controller. Interval is optional.
type Options[K comparable] struct {
	// Name is that of the queue, and Kind that of the objects, in the log.
	Name, Kind string
	// Object returns the name of the object that a key is about.
	Object func(K) string
	// Watch adds the event handlers, which add keys to the Queue.
	Watch func(context.Context, *handlers.Set) error
	// Sync brings one object up to date. It is called by one worker at a time for each key. An
	// error has the key synced again.
	Sync func(context.Context, K) error
	// Interval is the minimum time between two syncs of a key.
	Interval time.Duration
	// Clock is the time for the Interval and for retries.
	Clock clock.WithTicker
}

// Controller is one run of a controller.
type Controller[K comparable] struct {
	// Queue is the keys to sync.
	Queue workqueue.TypedRateLimitingInterface[K]

	options  Options[K]
	handlers handlers.Set
	synced   Memory[time.Time] // when the object of a key was last synced
	failures failures
}

// New returns a Controller that has not run.
func New[K comparable](options Options[K]) *Controller[K] {
	return &Controller[K]{options: options, Queue: workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[K](minRetryDelay, maxRetryDelay),
		workqueue.TypedRateLimitingQueueConfig[K]{Name: options.Name, Clock: options.Clock},
	)}
}

// Run syncs keys until ctx ends, as many at a time as there are workers (at least one), then
// returns nil. Nothing is synced before the informers are. When it returns, its handlers are removed,
// and its goroutines have ended. An error means that an informer has been stopped. It must be
// called once.
func (c *Controller[K]) Run(ctx context.Context, workers int) error {
	defer c.Queue.ShutDown()
	err := c.options.Watch(ctx, &c.handlers)
	if err == nil && cache.WaitFor(ctx, "", c.handlers.Synced()...) {
		c.work(ctx, max(workers, 1))
	}
	if ctx.Err() != nil {
		err = nil // the informers may have been stopped with it
	}
	return errors.Join(err, c.handlers.Remove())
}

func (c *Controller[K]) work(ctx context.Context, workers int) {
	klog.FromContext(ctx).V(2).Info("Starting workers", "controller", c.options.Name, "workers", workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for c.ProcessNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.Queue.ShutDown()
	running.Wait()
}

// ProcessNext syncs the next key of the Queue. It returns false at the end.
func (c *Controller[K]) ProcessNext(ctx context.Context) bool {
	key, shutdown := c.Queue.Get()
	if shutdown {
		return false
	}
	defer c.Queue.Done(key)
	if ctx.Err() != nil {
		return false
	}
	if delay := c.delay(key); delay > 0 {
		c.Queue.AddAfter(key, delay)
		return true
	}
	c.finish(ctx, key, c.options.Sync(ctx, key))
	return true
}

// Forget drops what is known of an object that was deleted.
func (c *Controller[K]) Forget(key K) {
	c.synced.Delete(c.options.Object(key))
	c.failures.forget(c.options.Object(key))
}

// delay returns how long a key has to wait, or 0 and remembers the time.
func (c *Controller[K]) delay(key K) time.Duration {
	if c.options.Interval <= 0 {
		return 0
	}
	now, object := c.options.Clock.Now(), c.options.Object(key)
	if last, ok := c.synced.Get(object); ok {
		// A clock that was set back delays nothing.
		if rest := last.Add(c.options.Interval).Sub(now); rest > 0 && rest <= c.options.Interval {
			return rest
		}
	}
	c.synced.Set(object, now)
	return 0
}

// finish requeues a key that failed. A conflict with another writer is expected, unless it
// persists.
func (c *Controller[K]) finish(ctx context.Context, key K, err error) {
	object := c.options.Object(key)
	switch {
	case err == nil:
		c.failures.recovered(ctx, c.options.Kind, object)
		c.Queue.Forget(key)
		return
	case ctx.Err() != nil:
		return
	case IsConflict(err) && c.Queue.NumRequeues(key) < maxConflicts:
		klog.FromContext(ctx).V(2).Info("Another process wrote first, retrying", "kind", c.options.Kind, "name", object, "err", err)
	default:
		c.failures.failed(ctx, err, c.options.Kind, object)
	}
	c.Queue.AddRateLimited(key)
}
