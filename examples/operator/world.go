package main

import (
	"context"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
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

// state is what the API server holds.
type state struct {
	pools []*mcfgv1.MachineConfigPool
	nodes map[string][]*corev1.Node            // by pool
	mcns  map[string]*mcfgv1.MachineConfigNode // by node
}

// look reads the cluster.
func (w *world) look(ctx context.Context) (state, error) {
	now := state{nodes: map[string][]*corev1.Node{}, mcns: map[string]*mcfgv1.MachineConfigNode{}}
	pools, err := w.client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	for i := range pools.Items {
		now.pools = append(now.pools, &pools.Items[i])
	}
	nodes, err := w.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	mcns, err := w.client.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	for i := range mcns.Items {
		now.mcns[mcns.Items[i].Name] = &mcns.Items[i]
	}
	for i := range nodes.Items {
		primary, err := pool.Primary(&nodes.Items[i], now.pools)
		if err != nil {
			return now, err
		}
		if primary != nil {
			now.nodes[primary.Name] = append(now.nodes[primary.Name], &nodes.Items[i])
		}
	}
	return now, nil
}

// wake leaves an entry in a channel that holds one.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
