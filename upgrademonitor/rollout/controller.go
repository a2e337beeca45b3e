package rollout

import (
	"context"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Controller keeps one MachineConfigNode for each Node. Create a Controller with New.
type Controller struct {
	config Config
	health health
}

// New returns a Controller, and makes no request. Call New before you start the informer factories,
// because New requests the informers from the factories. If config is invalid, the error is a
// *field.Error.
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

// Run waits for the informers to sync, and keeps the MachineConfigNodes up to date until ctx ends.
// Then Run waits for its workers and returns nil. workers is the number of nodes that are synced at
// the same time, at least 1. Only the leader should call Run. If two replicas call Run, the objects
// are the same, but all work is done twice. An error means that an informer was stopped before ctx
// ended.
func (c *Controller) Run(ctx context.Context, workers int) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](50*time.Millisecond, 30*time.Second)
	defer c.health.reset()
	r := &reconciler{Config: c.config, health: &c.health, queue: workqueue.NewTypedRateLimitingQueue(limiter)}
	defer r.queue.ShutDown()
	defer context.AfterFunc(ctx, r.queue.ShutDown)()
	var synced []cache.DoneChecker
	for informer, handler := range r.handlers(ctx) {
		registration, err := informer.AddEventHandler(handler)
		if ctx.Err() != nil {
			return nil // an informer may have stopped because ctx has ended
		}
		if err != nil {
			return err
		}
		defer func() { _ = informer.RemoveEventHandler(registration) }()
		synced = append(synced, registration.HasSyncedChecker())
	}
	if !cache.WaitFor(ctx, "", synced...) {
		return nil
	}
	var running sync.WaitGroup
	for range max(workers, 1) {
		running.Go(func() {
			for r.syncNext(ctx) {
			}
		})
	}
	running.Wait()
	return nil
}

// reconciler does the work of one call of Run. The keys of its maps are the names of nodes.
type reconciler struct {
	Config
	queue     workqueue.TypedRateLimitingInterface[string]
	failures  apierr.Failures
	health    *health
	conflicts sync.Map // the text of the last event of a conflict, while the conflict lasts
}

// handlers returns the event handlers of the informers. A handler adds names of nodes to the queue. A
// MachineConfigNode has the name of its node. Most events cause no request: see sync.
func (r *reconciler) handlers(ctx context.Context) map[cache.SharedIndexInformer]cache.ResourceEventHandler {
	enqueue := func(object any) {
		name, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object) // each object has metadata
		r.queue.Add(name)
	}
	enqueueAll := func(any) {
		for _, informer := range []cache.SharedIndexInformer{r.Nodes.Informer(), r.MachineConfigNodes.Informer()} {
			for _, name := range informer.GetStore().ListKeys() {
				r.queue.Add(name)
			}
		}
	}
	poolChanged := func(object any) {
		r.checkSelector(ctx, object.(*mcfgv1.MachineConfigPool))
		enqueueAll(object)
	}
	poolUpdated := func(before, after any) {
		old := before.(*mcfgv1.MachineConfigPool).Spec.NodeSelector
		if !equality.Semantic.DeepEqual(old, after.(*mcfgv1.MachineConfigPool).Spec.NodeSelector) {
			poolChanged(after)
		}
	}
	updated := func(_, after any) { enqueue(after) }
	objects := cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: updated, DeleteFunc: enqueue}
	pools := cache.ResourceEventHandlerFuncs{AddFunc: poolChanged, UpdateFunc: poolUpdated, DeleteFunc: enqueueAll}
	return map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		r.Nodes.Informer():              objects,
		r.MachineConfigNodes.Informer(): objects,
		r.Pools.Informer():              pools,
	}
}

// syncNext syncs the next node in the queue. It returns false if ctx has ended and the queue is empty.
func (r *reconciler) syncNext(ctx context.Context) bool {
	name, isShutDown := r.queue.Get()
	if isShutDown {
		return false
	}
	defer r.queue.Done(name)
	err := r.sync(ctx, name)
	if ctx.Err() != nil {
		return true // the end of Run may have canceled a request
	}
	r.health.set(name, err)
	r.failures.Log(klog.FromContext(ctx).WithValues("node", name), name, "Failed to sync the MachineConfigNode", err)
	if err != nil {
		r.queue.AddRateLimited(name)
	} else {
		r.queue.Forget(name)
	}
	return true
}
