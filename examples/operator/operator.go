package main

import (
	"context"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/examples/internal/informer"
	"github.com/openshift/upgrademonitor/examples/internal/mcp"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// The numbers of nodes and of pools that are synced at a time.
const (
	rolloutWorkers = 4
	poolWorkers    = 2
)

// operator runs the operator's side of the library: package rollout keeps a
// MachineConfigNode for each Node, package pool the status of each MachineConfigPool.
type operator struct {
	kube     kubernetes.Interface
	client   mcfgclientset.Interface
	pools    cache.ResourceEventHandler // of the pools, for the output; an operator has none
	interval time.Duration              // see pool.Config; an operator leaves it empty
}

// run runs both controllers until ctx ends, waits for them and returns nil. If the operator
// has replicas, one of them runs the controllers: see package election.
func (o operator) run(ctx context.Context) error {
	// Both controllers share one pair of factories, so that everything is listed, watched and cached once.
	core := informers.NewSharedInformerFactoryWithOptions(o.kube, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(o.client, 0, mcfginformers.WithTransform(pool.Trim))
	nodes := core.Core().V1().Nodes()
	pools := mcfg.Machineconfiguration().V1().MachineConfigPools()
	mcns := mcfg.Machineconfiguration().V1().MachineConfigNodes()

	events := record.NewBroadcaster(record.WithContext(ctx))
	defer events.Shutdown()
	events.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: o.kube.CoreV1().Events(metav1.NamespaceAll)})

	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "machine-config-operator"})

	objects, err := rollout.New(rollout.Config{
		Client: o.client, KubeClient: o.kube, Nodes: nodes, Pools: pools, MachineConfigNodes: mcns, Recorder: recorder,
	})
	if err != nil {
		return err
	}
	statuses, err := pool.New(pool.Config{
		Client: o.client, Nodes: nodes, Pools: pools, MachineConfigNodes: mcns, Interval: o.interval,
	})
	if err != nil {
		return err
	}
	if _, err := pools.Informer().AddEventHandler(mcp.Events{Recorder: recorder}); err != nil {
		return err
	}
	if o.pools != nil {
		if _, err := pools.Informer().AddEventHandler(o.pools); err != nil {
			return err
		}
	}
	if err := informer.LogWatchErrors(nodes.Informer(), pools.Informer(), mcns.Informer()); err != nil {
		return err
	}

	// The factories start after both controllers have requested their informers.
	ctx, cancel := context.WithCancel(ctx)
	core.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	defer core.Shutdown()
	defer mcfg.Shutdown()
	defer cancel()

	return program.Together(ctx, // neither runs without the other
		func(ctx context.Context) error { return objects.Run(ctx, rolloutWorkers) },
		func(ctx context.Context) error { return statuses.Run(ctx, poolWorkers) })
}
