// Command operator runs packages rollout, pool and components while it holds the Lease: one MachineConfigNode for each
// Node, the status of each pool, and the health of the operator and the daemons. In OpenShift the first two belong to
// machine-config-controller. Use a test cluster: on any other machine-config-operator writes the same objects.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

const namespace = "openshift-machine-config-operator"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig of a test cluster; by default that of the Pod")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS, config.Burst = 50, 100 // with the default of 5, many new nodes take minutes
		err = run(ctx, kubernetes.NewForConfigOrDie(config), mcfgclientset.NewForConfigOrDie(config), operatorclientset.NewForConfigOrDie(config))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) // the kubelet starts the Pod again
	}
}

// run runs the controllers while this replica is the leader, until ctx ends, one of them fails or the Lease is lost.
func run(ctx context.Context, kubeClient kubernetes.Interface, mcfgClient mcfgclientset.Interface, operatorClient operatorclientset.Interface) error {
	// The controllers share the informers, so that everything is listed and cached once.
	kube := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithTransform(pool.Trim))
	own := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithNamespace(namespace))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(mcfgClient, 0, mcfginformers.WithTransform(pool.Trim))
	operator := operatorinformers.NewSharedInformerFactory(operatorClient, 0)
	nodes, v1, configurations := kube.Core().V1().Nodes(), mcfg.Machineconfiguration().V1(), operator.Operator().V1().MachineConfigurations()
	daemonSets := own.Apps().V1().DaemonSets().Lister()

	events := record.NewBroadcaster(record.WithContext(ctx))
	defer events.Shutdown()
	events.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: kubeClient.CoreV1().Events("")})
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "machine-config-operator"})

	rollouts, err1 := rollout.New(rollout.Config{Client: mcfgClient, KubeClient: kubeClient, Recorder: recorder,
		Nodes: nodes, Pools: v1.MachineConfigPools(), MachineConfigNodes: v1.MachineConfigNodes()})
	pools, err2 := pool.New(pool.Config{Client: mcfgClient, Recorder: recorder,
		Nodes: nodes, Pools: v1.MachineConfigPools(), MachineConfigNodes: v1.MachineConfigNodes()})
	reporter, err3 := components.New(components.Config{Component: components.Operator,
		Client: operatorClient.OperatorV1().MachineConfigurations(), Lister: configurations.Lister()})
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	_, err1 = configurations.Informer().AddEventHandler(reporter.Handler())
	controller, err2 := components.NewLeaseWatch(components.LeaseConfig{Component: components.Controller,
		Client: kubeClient.CoordinationV1().Leases(namespace), SetPeerConditions: reporter.SetPeerConditions})
	identity, err3 := os.Hostname()
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	sync := func(context.Context) error { // the operator's own work, and what it knows of the daemons
		mcns, err := v1.MachineConfigNodes().Lister().List(labels.Everything())
		daemonSet, _ := daemonSets.DaemonSets(namespace).Get("machine-config-daemon") // nil: Unknown
		return errors.Join(err, reporter.SetPeerConditions(components.Daemon, components.Daemons(daemonSet, mcns, time.Now())...))
	}
	informing, cancel := context.WithCancel(context.WithoutCancel(ctx)) // until the controllers have ended
	defer cancel()
	for _, factory := range []interface{ StartWithContext(context.Context) }{kube, own, mcfg, operator} {
		factory.StartWithContext(informing)
	}
	lock := &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: "machine-config"},
		Client: kubeClient.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: identity}}
	return lead(ctx, lock,
		func(ctx context.Context) error { return rollouts.Run(ctx, 4) },
		func(ctx context.Context) error { return pools.Run(ctx, 2) },
		controller.Run,
		func(ctx context.Context) error {
			own.WaitForCacheSync(ctx.Done())
			mcfg.WaitForCacheSync(ctx.Done())
			synced, done := context.WithCancel(ctx)
			go wait.UntilWithContext(ctx, func(ctx context.Context) {
				_ = reporter.Track(ctx, components.OperatorSync, "", sync) // Degraded has the error
				done()
			}, 30*time.Second)
			<-synced.Done() // the first write has all that is known
			return reporter.Run(ctx)
		})
}

// lead waits for the Lease, and works until ctx ends, the Lease is lost or one of the work ends.
func lead(ctx context.Context, lock resourcelock.Interface, work ...func(context.Context) error) error {
	election, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	leading, ended := make(chan context.Context, 1), make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 137 * time.Second, RenewDeadline: 107 * time.Second, RetryPeriod: 26 * time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(ctx context.Context) { leading <- ctx }, OnStoppedLeading: func() { close(ended) }},
	})
	if err != nil {
		return err
	}
	go elector.Run(election)
	defer func() {
		release()
		<-ended
	}() // after the work has ended: two replicas never work at the same time
	select {
	case <-ctx.Done():
		return nil
	case led := <-leading:
		return together(ctx, led, work...)
	}
}

// together runs the work until ctx or the Lease ends, or one of it does, and waits for the rest.
func together(ctx, led context.Context, work ...func(context.Context) error) error {
	led, stop := context.WithCancel(led)
	defer context.AfterFunc(ctx, stop)()
	ended := make(chan error)
	for _, w := range work {
		go func() { ended <- w(led) }()
	}
	var errs []error
	for range work {
		errs = append(errs, <-ended)
		stop()
	}
	if ctx.Err() == nil {
		errs = append(errs, errors.New("the Lease was lost, or a controller has ended"))
	}
	return errors.Join(errs...)
}
