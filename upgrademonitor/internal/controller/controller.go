package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
)

// The backoff of failed syncs, and how many conflicts in a row are no failure yet.
const (
	minRetryDelay = 50 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	maxConflicts  = 5
)

// Options configures a Controller. Interval is optional.
type Options struct {
	// Name is that of the queue, and Kind that of the objects, in the log.
	Name, Kind string
	// Watch returns what adds names to the Queue.
	Watch func(context.Context) []Source
	// Sync brings one object up to date. It is called by one worker at a time for each name. An
	// error has the object synced again.
	Sync func(ctx context.Context, name string) error
	// Interval is the minimum time between two syncs of an object.
	Interval time.Duration
	// Clock is the time for the Interval and for retries.
	Clock clock.WithTicker
}

// Controller is one run of a controller.
type Controller struct {
	// Queue is the names of the objects to sync.
	Queue workqueue.TypedRateLimitingInterface[string]

	options  Options
	synced   Memory[time.Time] // when an object was last synced
	failures failurelog.Keyed
}

// New returns a Controller that has not run.
func New(options Options) *Controller {
	return &Controller{options: options, Queue: workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](minRetryDelay, maxRetryDelay),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: options.Name, Clock: options.Clock},
	)}
}

// Run syncs objects until ctx ends, as many at a time as there are workers (at least one), then
// returns nil. Nothing is synced before the informers are. When it returns, its handlers are removed,
// and its goroutines have ended. An error means that an informer has been stopped. It must be
// called once.
func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.Queue.ShutDown()
	synced, remove, err := listen(ctx, c.options.Watch(ctx))
	if err == nil && cache.WaitFor(ctx, "", synced...) {
		c.work(ctx, max(workers, 1))
	}
	if ctx.Err() != nil {
		err = nil // the informers may have been stopped with it
	}
	return errors.Join(err, remove())
}

func (c *Controller) work(ctx context.Context, workers int) {
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

// ProcessNext syncs the next object of the Queue. It returns false at the end.
func (c *Controller) ProcessNext(ctx context.Context) bool {
	name, shutdown := c.Queue.Get()
	if shutdown {
		return false
	}
	defer c.Queue.Done(name)
	if ctx.Err() != nil {
		return false
	}
	if delay := c.delay(name); delay > 0 {
		c.Queue.AddAfter(name, delay)
		return true
	}
	c.finish(ctx, name, c.options.Sync(ctx, name))
	return true
}

// Forget drops what is known of an object that was deleted.
func (c *Controller) Forget(name string) {
	c.synced.Delete(name)
	c.failures.Forget(name)
}

// delay returns how long an object has to wait, or 0 and remembers the time.
func (c *Controller) delay(name string) time.Duration {
	now := c.options.Clock.Now()
	if last, ok := c.synced.Get(name); ok {
		// A clock that was set back delays nothing.
		if rest := last.Add(c.options.Interval).Sub(now); rest > 0 && rest <= c.options.Interval {
			return rest
		}
	}
	c.synced.Set(name, now)
	return 0
}

// finish requeues an object whose sync has failed. A conflict with another writer is expected,
// unless it persists.
func (c *Controller) finish(ctx context.Context, name string, err error) {
	switch {
	case err == nil:
		c.failures.Recovered(ctx, name, "Synced "+c.options.Kind+" again", "name", name)
		c.Queue.Forget(name)
		return
	case ctx.Err() != nil:
		return
	case isConflict(err) && c.Queue.NumRequeues(name) < maxConflicts:
		klog.FromContext(ctx).V(2).Info("Another process wrote first, retrying", "kind", c.options.Kind, "name", name, "err", err)
	default:
		c.failures.Failed(ctx, name, err, "Failed to sync "+c.options.Kind+", retrying", "name", name)
	}
	c.Queue.AddRateLimited(name)
}

// isConflict reports whether another process has changed, created or deleted the object since it
// was read.
func isConflict(err error) bool {
	outcome := apierr.Classify(err)
	return outcome == apierr.Conflict || outcome == apierr.NotFound || apierrors.IsConflict(err)
}
