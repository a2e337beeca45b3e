package pool

import (
	"context"
	"errors"
	"maps"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// watch has the informers tell the loop of changes. It returns what says that all of the first
// list have been told, and what ends it.
func (l *loop) watch(ctx context.Context) (synced []cache.DoneChecker, remove func(), err error) {
	logger := klog.FromContext(ctx)
	var removes []func()
	remove = func() {
		for _, r := range removes {
			r()
		}
	}
	for _, source := range []struct {
		informer cache.SharedIndexInformer
		handler  cache.ResourceEventHandler
	}{
		{l.config.Pools.Informer(), handler(l.enqueueAll, l.poolChanged)},
		{l.config.Nodes.Informer(), handler(l.enqueueByNode, l.nodeChanged)},
		{l.config.MachineConfigNodes.Informer(), handler(l.enqueueByMCN, l.mcnChanged)},
	} {
		registration, err := source.informer.AddEventHandlerWithOptions(source.handler, cache.HandlerOptions{Logger: &logger})
		if err != nil {
			return nil, remove, err
		}
		synced = append(synced, registration.HasSyncedChecker())
		removes = append(removes, func() { _ = source.informer.RemoveEventHandler(registration) })
	}
	return synced, remove, nil
}

// handler calls came for an object that comes or goes, and changed for one that changes.
func handler[T any](came func(T), changed func(from, to T)) cache.ResourceEventHandlerFuncs {
	tell := func(obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
		}
		if object, ok := obj.(T); ok {
			came(object)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    tell,
		DeleteFunc: tell,
		UpdateFunc: func(from, to any) {
			before, ok := from.(T)
			after, ok2 := to.(T)
			if ok && ok2 {
				changed(before, after)
			}
		},
	}
}

// enqueueAll has every pool looked at, for nodes may have changed hands.
func (l *loop) enqueueAll(*mcfgv1.MachineConfigPool) {
	pools, err := l.pools.List(labels.Everything())
	if err != nil {
		return // a cache has no errors
	}
	for _, pool := range pools {
		l.queue.Add(pool.Name)
	}
}

func (l *loop) poolChanged(from, to *mcfgv1.MachineConfigPool) {
	switch {
	case !equality.Semantic.DeepEqual(from.Spec.NodeSelector, to.Spec.NodeSelector):
		l.enqueueAll(to)
	case !l.written.is(to):
		l.queue.Add(to.Name)
	}
}

// enqueueByNode has the pool of a node looked at. One that no pool can have changes none.
func (l *loop) enqueueByNode(node *corev1.Node) {
	if name := l.poolOf(node); name != "" {
		l.queue.Add(name)
	}
}

// nodeChanged has the pools looked at that a node left and came to, or the one that it stayed in.
func (l *loop) nodeChanged(from, to *corev1.Node) {
	if sameNode(from, to) {
		return
	}
	if l.poolOf(from) != l.poolOf(to) {
		l.enqueueByNode(from)
	}
	l.enqueueByNode(to)
}

// poolOf returns the name of a node's pool, "" where it has none.
func (l *loop) poolOf(node *corev1.Node) string {
	pools, err := l.pools.List(labels.Everything())
	if err != nil {
		return ""
	}
	if pool, err := Primary(node, pools); err == nil && pool != nil {
		return pool.Name
	}
	return ""
}

// sameNode reports whether two states of a Node are the same to Status and Primary. Heartbeats
// change neither.
func sameNode(a, b *corev1.Node) bool {
	return a.UID == b.UID &&
		ready(a) == ready(b) &&
		a.Spec.Unschedulable == b.Spec.Unschedulable &&
		IsWindows(a) == IsWindows(b) &&
		maps.Equal(a.Labels, b.Labels)
}

// enqueueByMCN has the pool of the object's node looked at. Where the Node is missing, its own event
// will do that.
func (l *loop) enqueueByMCN(mcn *mcfgv1.MachineConfigNode) {
	if node, err := l.nodes.Get(mcn.Name); err == nil {
		l.enqueueByNode(node)
	}
}

func (l *loop) mcnChanged(from, to *mcfgv1.MachineConfigNode) {
	if reportOf(from) != reportOf(to) {
		l.enqueueByMCN(to)
	}
}

func isConflict(err error) bool {
	var conflict *ConflictError
	return errors.As(err, &conflict)
}
