// Command operator runs the operator's side on a cluster while it holds the Lease: one MachineConfigNode for
// each Node, the status of each MachineConfigPool, and the operator's own health. Use a test cluster: on any
// other the machine-config-operator writes the same objects.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig; by default that of the Pod")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS, config.Burst = 50, 100 // with the default of 5, many new nodes take minutes
		err = run(ctx, kubernetes.NewForConfigOrDie(config), mcfgclientset.NewForConfigOrDie(config), operatorclientset.NewForConfigOrDie(config))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the controllers while this replica is the leader. It returns when ctx ends or the Lease is lost.
func run(ctx context.Context, kubeClient kubernetes.Interface, mcfgClient mcfgclientset.Interface, operatorClient operatorclientset.Interface) error {
	// The controllers share the informers, so that everything is listed and cached once.
	kube := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(mcfgClient, 0, mcfginformers.WithTransform(pool.Trim))
	operator := operatorinformers.NewSharedInformerFactory(operatorClient, 0)
	nodes, v1 := kube.Core().V1().Nodes(), mcfg.Machineconfiguration().V1()
	configurations := operator.Operator().V1().MachineConfigurations()

	rollouts, err := rollout.New(rollout.Config{
		Client: mcfgClient, KubeClient: kubeClient,
		Nodes: nodes, Pools: v1.MachineConfigPools(), MachineConfigNodes: v1.MachineConfigNodes(),
	})
	if err != nil {
		return err
	}
	pools, err := pool.New(pool.Config{
		Client: mcfgClient,
		Nodes:  nodes, Pools: v1.MachineConfigPools(), MachineConfigNodes: v1.MachineConfigNodes(),
	})
	if err != nil {
		return err
	}
	reporter, err := components.New(components.Config{
		Client:    operatorClient.OperatorV1().MachineConfigurations(),
		Lister:    configurations.Lister(),
		Component: components.Operator,
	})
	if err != nil {
		return err
	}
	if _, err := configurations.Informer().AddEventHandler(reporter.Handler()); err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	operator.StartWithContext(ctx)
	lead := func(ctx context.Context) {
		for _, run := range []func() error{
			func() error { return rollouts.Run(ctx, 4) },
			func() error { return pools.Run(ctx, 2) },
			func() error { return reporter.Run(ctx) },
		} {
			go func() {
				if err := run(); err != nil {
					klog.FromContext(ctx).Error(err, "Stopping")
					cancel()
				}
			}()
		}
		sync := func(context.Context) error { return nil } // the operator's own work
		_ = reporter.Track(ctx, components.OperatorSync, "", sync)
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "openshift-machine-config-operator", Name: "machine-config"},
			Client:     kubeClient.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: host},
		},
		LeaseDuration: 137 * time.Second, RenewDeadline: 107 * time.Second, RetryPeriod: 26 * time.Second,
		ReleaseOnCancel: true,
		Callbacks:       leaderelection.LeaderCallbacks{OnStartedLeading: lead, OnStoppedLeading: func() {}},
	})
	return nil
}
