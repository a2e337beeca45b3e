package rollout

import (
	"context"
	"errors"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// work is the names of the nodes that have to be looked at, in one Run.
type work struct {
	config  Config
	nodes   nodeQueue
	orphans nodeQueue       // objects without a Node, for when their grace is over
	ctx     context.Context // for logs

	handlers []handler
}

type handler struct {
	informer     cache.SharedIndexInformer
	registration cache.ResourceEventHandlerRegistration
}

func (c *Controller) newWork(ctx context.Context) *work {
	queue := func() nodeQueue {
		return workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, lastRetry),
			workqueue.TypedRateLimitingQueueConfig[string]{Clock: c.config.Clock})
	}
	return &work{config: c.config, nodes: queue(), orphans: queue(), ctx: ctx}
}

// listen has the informers fill the queue. It returns what says that all there was at the
// start is in it.
func (w *work) listen() ([]cache.InformerSynced, error) {
	var synced []cache.InformerSynced
	for informer, handle := range map[cache.SharedIndexInformer]cache.ResourceEventHandlerFuncs{
		w.config.Nodes.Informer():              on(w.addNode, nodeMatters, w.addNode),
		w.config.MachineConfigNodes.Informer(): on(w.addNode, objectMatters, w.addNode),
		w.config.Pools.Informer():              on(w.addPool, selectorMatters, w.addAll),
	} {
		registration, err := informer.AddEventHandler(handle)
		if err != nil {
			return nil, err
		}
		w.handlers = append(w.handlers, handler{informer, registration})
		synced = append(synced, registration.HasSynced)
	}
	return synced, nil
}

// end stops the queues and listens no more.
func (w *work) end() error {
	w.nodes.ShutDown()
	w.orphans.ShutDown()
	var errs []error
	for _, h := range w.handlers {
		errs = append(errs, h.informer.RemoveEventHandler(h.registration))
	}
	return errors.Join(errs...)
}

// on handles what comes, of what changes that which matters, and what goes.
func on[T any](add func(obj any), matters func(before, after T) bool, gone func(obj any)) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: add,
		UpdateFunc: func(before, after any) {
			old, ok := before.(T)
			object, also := after.(T)
			if !ok || !also || matters(old, object) {
				add(after)
			}
		},
		DeleteFunc: gone,
	}
}

// addNode queues the node of a Node or of a MachineConfigNode, which have one name.
func (w *work) addNode(obj any) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
		w.nodes.Add(name.Name)
	}
}

// addPool queues all nodes, for a pool that wants other nodes than before.
func (w *work) addPool(obj any) {
	if p, ok := obj.(*mcfgv1.MachineConfigPool); ok {
		w.checkSelector(p)
	}
	w.addAll(obj)
}

// addAll queues all nodes.
func (w *work) addAll(any) {
	nodes, err := w.config.Nodes.Lister().List(labels.Everything())
	if err != nil {
		klog.FromContext(w.ctx).Error(err, "Could not list the nodes of the cache")
	}
	for _, node := range nodes {
		w.nodes.Add(node.Name)
	}
}

// nodeMatters reports whether the object of a node may have to follow its change. The
// heartbeats of a kubelet, most of what changes, do not matter.
func nodeMatters(before, after *corev1.Node) bool {
	for _, annotation := range []string{
		upgrademonitor.CurrentConfigAnnotation, upgrademonitor.DesiredConfigAnnotation,
		upgrademonitor.CurrentImageAnnotation, upgrademonitor.DesiredImageAnnotation,
	} {
		if before.Annotations[annotation] != after.Annotations[annotation] {
			return true
		}
	}
	return before.UID != after.UID || acknowledged(before) != acknowledged(after) ||
		before.Status.NodeInfo.OperatingSystem != after.Status.NodeInfo.OperatingSystem ||
		!equality.Semantic.DeepEqual(before.Labels, after.Labels)
}

// objectMatters reports whether the change of an object may have to be undone. That of its
// status, most of what changes, does not matter.
func objectMatters(before, after *mcfgv1.MachineConfigNode) bool {
	return before.UID != after.UID || before.Spec != after.Spec ||
		!equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
}

// selectorMatters reports whether a pool may want other nodes.
func selectorMatters(before, after *mcfgv1.MachineConfigPool) bool {
	return !equality.Semantic.DeepEqual(before.Spec.NodeSelector, after.Spec.NodeSelector)
}
