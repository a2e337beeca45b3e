package simulation

import (
	"context"
	"sync"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfginformersv1 "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	"k8s.io/client-go/informers"
	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/memory"
)

// Cluster is a cluster in memory.
type Cluster struct {
	options Options
	clock   fastClock
	kube    kubernetes.Interface
	client  mcfgclientset.Interface
	core    informers.SharedInformerFactory
	mcfg    mcfginformers.SharedInformerFactory
	outages *outages

	mu        sync.Mutex // guards listeners
	listeners []chan struct{}
}

// New makes a cluster whose Nodes all have the first config of their pools. Nothing runs
// before Run.
func New(ctx context.Context, options Options) (*Cluster, error) {
	if options.Speed == 0 {
		options.Speed = 1
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	clock := newFastClock(options.Speed)
	c := &Cluster{
		options: options,
		clock:   clock,
		kube:    memory.Kube(memory.WithTimes(clock.convert)),
		client:  memory.MachineConfigs(memory.WithTimes(clock.convert)),
		outages: newOutages(),
	}
	if err := c.populate(ctx); err != nil {
		return nil, err
	}
	c.core = informers.NewSharedInformerFactory(c.kube, 0)
	c.mcfg = mcfginformers.NewSharedInformerFactory(c.client, 0)
	notify := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.notify(obj) },
		UpdateFunc: func(_, obj any) { c.notify(obj) },
	}
	for _, informer := range []cache.SharedIndexInformer{c.Nodes().Informer(), c.Pools().Informer(), c.MachineConfigNodes().Informer()} {
		if _, err := informer.AddEventHandler(notify); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// KubeClient returns a clientset of the API server, for Nodes, Events and Leases.
func (c *Cluster) KubeClient() kubernetes.Interface { return c.kube }

// Client returns a clientset of the API server, for MachineConfigPools and MachineConfigNodes.
func (c *Cluster) Client() mcfgclientset.Interface { return c.client }

// Clock returns the cluster's clock, which starts at the real time and runs at Options.Speed.
// Conditions have its times, and Options.Step is a duration on it.
func (c *Cluster) Clock() clock.PassiveClock { return c.clock }

// Nodes returns the informer of the Nodes, with its lister. It runs while Run does.
func (c *Cluster) Nodes() corev1informers.NodeInformer { return c.core.Core().V1().Nodes() }

// Pools returns the informer of the MachineConfigPools, with its lister. It runs while Run does.
func (c *Cluster) Pools() mcfginformersv1.MachineConfigPoolInformer {
	return c.mcfg.Machineconfiguration().V1().MachineConfigPools()
}

// MachineConfigNodes returns the informer of the MachineConfigNodes, with its lister. It runs
// while Run does.
func (c *Cluster) MachineConfigNodes() mcfginformersv1.MachineConfigNodeInformer {
	return c.mcfg.Machineconfiguration().V1().MachineConfigNodes()
}

// Run runs the daemons and the operator's controllers until work returns, and returns its
// error. If a controller or a daemon fails, or ctx ends, the context of work ends with that
// cause. Nothing runs any more when Run returns. It may be called once.
//
// Work starts with synced informers. Controllers are either c.Controllers, or the program's own
// on c.KubeClient and c.Client.
func (c *Cluster) Run(ctx context.Context, controllers, work func(context.Context) error) error {
	running, fail := context.WithCancelCause(ctx)
	c.core.StartWithContext(running)
	c.mcfg.StartWithContext(running)
	c.core.WaitForCacheSync(running.Done())
	c.mcfg.WaitForCacheSync(running.Done())

	var group sync.WaitGroup
	defer func() {
		fail(nil)
		group.Wait()
		c.core.Shutdown()
		c.mcfg.Shutdown()
	}()
	start := func(run func(context.Context) error) {
		group.Go(func() {
			if err := run(running); err != nil {
				fail(err)
			}
		})
	}
	start(controllers)
	for i, name := range NodeNames(c.options.Nodes) {
		start(newDaemon(c, name, uint64(i)).run)
	}
	return work(running)
}
