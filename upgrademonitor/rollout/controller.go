package rollout

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// How long a node that could not be seen to waits for the next attempt, doubled with each.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Controller keeps one MachineConfigNode for each Node. Make it with New.
type Controller struct {
	config Config

	noImages atomic.Bool // the CRD has no configImage
	told     conflicts
}

// New makes a Controller. It makes no request, but it asks the factories for their
// informers: call it before they are started. A field that cannot be used gives a
// *ConfigError.
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

// Run waits until the informers have listed what there is, and keeps the objects as they
// should be until ctx ends, seeing to as many nodes at a time as there are workers (at least
// one). Then it returns nil, and no goroutine of it is left. Of the replicas of a host one
// should run it, the leader: two would not contradict each other, but do the work twice.
func (c *Controller) Run(ctx context.Context, workers int) error {
	w := c.newWork(ctx)
	synced, err := w.listen()
	if ctx.Err() != nil {
		return w.end() // the informers may have been stopped with it
	}
	if err != nil {
		return errors.Join(err, w.end())
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return w.end()
	}
	klog.FromContext(ctx).V(2).Info("Rolling out MachineConfigNodes", "workers", max(1, workers))
	var running sync.WaitGroup
	for range max(1, workers) {
		running.Go(func() { w.serve(ctx, w.nodes, c.sync) })
	}
	running.Go(func() { w.serve(ctx, w.orphans, c.removeOrphan) })
	<-ctx.Done()
	err = w.end()
	running.Wait()
	return err
}

// serve sees to one key after the other, until the queue is shut down.
func (w *work) serve(ctx context.Context, queue nodeQueue, sync func(context.Context, string, *work) error) {
	for {
		name, shutdown := queue.Get()
		if shutdown {
			return
		}
		w.settle(ctx, queue, name, sync(ctx, name, w))
		queue.Done(name)
	}
}

// settle puts a node back that could not be seen to. A conflict is no failure: somebody else
// has changed the object. It is tried again as well, for their change may be one that does not
// matter, as that of the status, and then no event puts the node back.
func (w *work) settle(ctx context.Context, queue nodeQueue, name string, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case err == nil:
		queue.Forget(name)
		return
	case ctx.Err() != nil:
		return
	case apierrors.IsConflict(err):
		logger.V(4).Info("Somebody else has changed a MachineConfigNode, will look again", "node", name, "err", err)
	default:
		logger.Error(err, "Could not see to a MachineConfigNode, will try again", "node", name, "attempts", queue.NumRequeues(name)+1)
	}
	queue.AddRateLimited(name)
}

func (c *Controller) nodes() mcfgclient.MachineConfigNodeInterface {
	return c.config.Client.MachineconfigurationV1().MachineConfigNodes()
}

type nodeQueue = workqueue.TypedRateLimitingInterface[string]
