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
)

const (
	// The backoff of failed syncs.
	minRetryDelay = 50 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	// retryInterval replaces a longer Interval after a sync that failed, and is the longest time until
	// the next one after a conflict: the event of the other write may come at any time.
	retryInterval = 500 * time.Millisecond
	// maxConflicts in a row are no failure yet.
	maxConflicts = 5
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
	backoff  workqueue.TypedRateLimiter[string] // of the Queue
	next     Memory[time.Time]                  // when an object may be synced again, for the Interval
	failures apierr.Log
}

// New returns a Controller that has not run.
func New(options Options) *Controller {
	backoff := workqueue.NewTypedItemExponentialFailureRateLimiter[string](minRetryDelay, maxRetryDelay)
	config := workqueue.TypedRateLimitingQueueConfig[string]{Name: options.Name, Clock: options.Clock}
	return &Controller{options: options, backoff: backoff, Queue: workqueue.NewTypedRateLimitingQueueWithConfig(backoff, config)}
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
	begin := c.options.Clock.Now()
	if delay := c.delay(name, begin); delay > 0 {
		c.Queue.AddAfter(name, delay)
		return true
	}
	c.next.Set(name, begin.Add(c.options.Interval))
	if err := c.options.Sync(ctx, name); err != nil {
		c.next.Set(name, begin.Add(min(c.options.Interval, retryInterval)))
		c.retry(ctx, name, err)
		return true
	}
	c.failures.Recovered(ctx, name, "Synced "+c.options.Kind+" again", "name", name)
	c.Queue.Forget(name)
	return true
}

// Forget drops what is known of an object that was deleted.
func (c *Controller) Forget(name string) {
	c.next.Delete(name)
	c.failures.Forget(name)
}

// delay returns how long an object has to wait. A clock that was set back delays nothing.
func (c *Controller) delay(name string, now time.Time) time.Duration {
	next, _ := c.next.Get(name)
	if rest := next.Sub(now); rest <= c.options.Interval {
		return max(0, rest)
	}
	return 0
}

// retry requeues an object whose sync has failed: with backoff, and after a conflict with another
// writer soon, which is expected, unless it persists.
func (c *Controller) retry(ctx context.Context, name string, err error) {
	if ctx.Err() != nil {
		return
	}
	conflict := isConflict(err)
	if conflict && c.Queue.NumRequeues(name) < maxConflicts {
		klog.FromContext(ctx).V(2).Info("Another process wrote first, retrying", "kind", c.options.Kind, "name", name, "err", err)
	} else {
		c.failures.Failed(ctx, name, err, "Failed to sync "+c.options.Kind+", retrying", "name", name)
	}
	delay := c.backoff.When(name)
	if conflict {
		delay = min(delay, retryInterval)
	}
	c.Queue.AddAfter(name, delay)
}

// isConflict reports whether another process has changed, created or deleted the object since it
// was read.
func isConflict(err error) bool {
	outcome := apierr.Classify(err)
	return outcome == apierr.Conflict || outcome == apierr.NotFound || apierrors.IsConflict(err)
}
