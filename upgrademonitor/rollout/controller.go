package rollout

import (
	"context"
	"errors"
	"sync"
	"time"

	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// The backoff of failed syncs, and how many conflicts in a row are no failure yet.
const (
	minRetryDelay = 50 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	maxConflicts  = 5
)

// Controller keeps one MachineConfigNode for each Node. Create it with New.
type Controller struct {
	config Config
}

// New returns a Controller. It makes no request, but requests the informers from their
// factories: call it before they are started. An invalid field is a *field.Error.
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

// Run waits for the informers to sync, and keeps the objects up to date until ctx ends, syncing
// as many nodes at a time as there are workers (at least one). Then it returns nil, and none of
// its goroutines is left. One replica of a host should run it, the leader: two would not
// contradict each other, but do the work twice. An error means that an informer has been stopped.
func (c *Controller) Run(ctx context.Context, workers int) error {
	r := c.newReconciler()
	defer r.queue.ShutDown()
	err := r.run(ctx, max(workers, 1))
	if ctx.Err() != nil {
		err = nil // the informers may have been stopped with it
	}
	return errors.Join(err, r.handlers.Remove())
}

// reconciler is one Run of a Controller.
type reconciler struct {
	*Controller
	handlers  handlers.Set
	queue     workqueue.TypedRateLimitingInterface[item]
	resolver  pool.Resolver
	failures  failurelog.Keyed // by node
	conflicts noted            // of pools, that were recorded
	windows   noted            // Nodes whose object was deleted
	created   noted            // nodes whose object was created, which the cache may not contain yet
	images    imageField
}

// item is what a worker syncs: a node, or the orphaned object of one. The UID keeps the grace of
// an object apart from that of the next one of its name.
type item struct {
	node   string
	orphan bool
	uid    types.UID // of the orphaned object
}

// recheckImages is the item that has all nodes synced, when the CRD may have the field for images.
var recheckImages = item{}

func (c *Controller) newReconciler() *reconciler {
	return &reconciler{
		Controller: c,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[item](minRetryDelay, maxRetryDelay),
			workqueue.TypedRateLimitingQueueConfig[item]{Name: "machineconfignode-rollout", Clock: c.config.Clock},
		),
	}
}

func (r *reconciler) run(ctx context.Context, workers int) error {
	if err := r.addHandlers(ctx); err != nil {
		return err
	}
	if !cache.WaitFor(ctx, "", r.handlers.Synced()...) {
		return nil
	}
	klog.FromContext(ctx).V(2).Info("Starting the rollout of MachineConfigNodes", "workers", workers)
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

// processNextItem syncs the next item of the queue. It returns false when the queue is shut down.
func (r *reconciler) processNextItem(ctx context.Context) bool {
	next, shutdown := r.queue.Get()
	if shutdown {
		return false
	}
	defer r.queue.Done(next)
	switch {
	case next == recheckImages:
		r.enqueueAll(ctx)
	case next.orphan:
		r.handleResult(ctx, next, r.syncOrphan(ctx, next))
	default:
		r.handleResult(ctx, next, r.sync(ctx, next))
	}
	return true
}

// handleResult requeues an item that failed. A conflict with another writer is expected, unless
// it persists; it is requeued, too, as the other change may not cause an event here, like that of
// the status.
func (r *reconciler) handleResult(ctx context.Context, done item, err error) {
	switch {
	case err == nil:
		r.failures.Recovered(ctx, done.node, "Synced MachineConfigNode again", "node", done.node)
		r.queue.Forget(done)
		return
	case ctx.Err() != nil:
		return
	case apierr.Classify(err) == apierr.NoImageField: // is logged, and ignored by the next attempt
	case isConflict(err) && r.queue.NumRequeues(done) < maxConflicts:
		klog.FromContext(ctx).V(4).Info("Another process changed the MachineConfigNode, retrying", "node", done.node, "err", err)
	default:
		r.failures.Failed(ctx, done.node, err, "Failed to sync MachineConfigNode, retrying", "node", done.node)
	}
	r.queue.AddRateLimited(done)
}

// isConflict reports whether another process has changed the object, or the same fields of it.
func isConflict(err error) bool {
	return apierr.Classify(err) == apierr.Conflict || apierrors.IsConflict(err)
}

func (r *reconciler) client() mcfgclient.MachineConfigNodeInterface {
	return r.config.Client.MachineconfigurationV1().MachineConfigNodes()
}
