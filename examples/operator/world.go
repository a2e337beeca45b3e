package main

import (
	"context"
	"sync"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/examples/internal/memory"
)

// world is a cluster in memory, without an operator: its API server, and the caches of
// the others who live on it.
type world struct {
	kube   kubernetes.Interface
	client mcfgclientset.Interface
	core   informers.SharedInformerFactory
	mcfg   mcfginformers.SharedInformerFactory

	outages *outages

	mu        sync.Mutex
	listeners []chan struct{}
}

// newWorld makes the cluster. Nothing of it runs before start.
func newWorld(ctx context.Context, nodes int) (*world, error) {
	w := &world{kube: memory.Kube(), client: memory.MachineConfigs(), outages: newOutages()}
	if err := w.populate(ctx, nodes); err != nil {
		return nil, err
	}
	w.core = informers.NewSharedInformerFactory(w.kube, 0)
	w.mcfg = mcfginformers.NewSharedInformerFactory(w.client, 0)
	tell := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { w.tell(obj) },
		UpdateFunc: func(_, obj any) { w.tell(obj) },
	}
	for _, informer := range []cache.SharedIndexInformer{
		w.core.Core().V1().Nodes().Informer(),
		w.mcfg.Machineconfiguration().V1().MachineConfigPools().Informer(),
		w.mcfg.Machineconfiguration().V1().MachineConfigNodes().Informer(),
	} {
		if _, err := informer.AddEventHandler(tell); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// start fills the caches, and keeps them until ctx ends and stop is called.
func (w *world) start(ctx context.Context) (stop func()) {
	w.core.StartWithContext(ctx)
	w.mcfg.StartWithContext(ctx)
	w.core.WaitForCacheSync(ctx.Done())
	w.mcfg.WaitForCacheSync(ctx.Done())
	return func() {
		w.core.Shutdown()
		w.mcfg.Shutdown()
	}
}

// listen returns a channel that has an entry when something has changed.
func (w *world) listen() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	listener := make(chan struct{}, 1)
	wake(listener)
	w.listeners = append(w.listeners, listener)
	return listener
}

// tell counts the outages, and wakes those who listen.
func (w *world) tell(obj any) {
	w.outages.see(obj)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, listener := range w.listeners {
		wake(listener)
	}
}

// until waits until a check is done with the cluster, which it looks at whenever something
// has changed.
func (w *world) until(ctx context.Context, done func(state) (bool, error)) error {
	changed := w.listen()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
		now, err := w.look(ctx)
		if err != nil {
			return err
		}
		if ok, err := done(now); ok || err != nil {
			return err
		}
	}
}

// wake leaves an entry in a channel that holds one.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
