// Command operator runs the operator's side on a cluster: one MachineConfigNode for each Node, the
// status of each MachineConfigPool, and the operator's own health. Use a test cluster: on any other
// the machine-config-operator writes the same objects.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

const namespace = "openshift-machine-config-operator"

// clients are those of a cluster, or fake ones.
type clients struct {
	kube     kubernetes.Interface
	mcfg     mcfgclientset.Interface
	operator operatorclientset.Interface
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of a kubeconfig; by default that of the Pod")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		var c clients
		var errs [3]error
		c.kube, errs[0] = kubernetes.NewForConfig(config)
		c.mcfg, errs[1] = mcfgclientset.NewForConfig(config)
		c.operator, errs[2] = operatorclientset.NewForConfig(config)
		if err = errors.Join(errs[:]...); err == nil {
			err = lead(ctx, c)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// lead runs the operator while this replica holds the Lease. The process ends when it is lost.
func lead(ctx context.Context, c clients) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: "machine-config"},
			Client:    c.kube.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: host},
		},
		LeaseDuration: 137 * time.Second, RenewDeadline: 107 * time.Second, RetryPeriod: 26 * time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				running.Add(1)
				defer running.Done()
				err = run(leading, c)
				cancel()
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	running.Wait()
	return err
}

// run runs the controllers until ctx ends.
func run(ctx context.Context, c clients) error {
	// Both controllers share the informers, so that everything is listed and cached once.
	kube := informers.NewSharedInformerFactoryWithOptions(c.kube, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(c.mcfg, 0, mcfginformers.WithTransform(pool.Trim))
	operator := operatorinformers.NewSharedInformerFactory(c.operator, 0)
	nodes, v1 := kube.Core().V1().Nodes(), mcfg.Machineconfiguration().V1()
	configurations := operator.Operator().V1().MachineConfigurations()

	objects, err := rollout.New(rollout.Config{
		Client: c.mcfg, KubeClient: c.kube, Nodes: nodes, Pools: v1.MachineConfigPools(), MachineConfigNodes: v1.MachineConfigNodes(),
	})
	if err != nil {
		return err
	}
	statuses, err := pool.New(pool.Config{
		Client: c.mcfg, Nodes: nodes, Pools: v1.MachineConfigPools(), MachineConfigNodes: v1.MachineConfigNodes(),
	})
	if err != nil {
		return err
	}
	reporter, err := components.New(components.Config{
		Client: c.operator.OperatorV1().MachineConfigurations(), Lister: configurations.Lister(), Component: components.Operator,
	})
	if err != nil {
		return err
	}
	if _, err := configurations.Informer().AddEventHandler(reporter.Handler()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	operator.StartWithContext(ctx)
	defer func() { cancel(); kube.Shutdown(); mcfg.Shutdown(); operator.Shutdown() }()
	if !cache.WaitForCacheSync(ctx.Done(), configurations.Informer().HasSynced) {
		return nil
	}

	var running sync.WaitGroup
	errs := make(chan error, 3)
	for _, start := range []func() error{
		func() error { return objects.Run(ctx, 4) },
		func() error { return statuses.Run(ctx, 2) },
		func() error { return reporter.Run(ctx) },
	} {
		running.Go(func() {
			defer cancel() // none runs without the others
			errs <- start()
		})
	}
	// An operator reports each step of its sync like this.
	_ = reporter.Track(ctx, components.OperatorSync, "", func(context.Context) error { return nil })
	running.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}
