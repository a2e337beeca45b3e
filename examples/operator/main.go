// Command operator creates and updates a MachineConfigNode for each Node, and writes the status of
// each MachineConfigPool. It also reports the health of the operator, the controller and the
// daemons. It does all this only while it holds the Lease. In OpenShift, machine-config-operator
// writes the same objects, so use a test cluster without machine-config-operator.
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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/examples/operator/pools"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "",
		"path of the kubeconfig of a test cluster (default: the credentials of the Pod)")
	imageMode := flag.Bool("image-mode", false, "whether the feature gate ImageModeStatusReporting is on")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		// At the default of 5 requests a second, it takes minutes to create many objects.
		config.QPS = 50
		config.Burst = 100
		err = run(ctx,
			kubernetes.NewForConfigOrDie(config),
			mcfgclientset.NewForConfigOrDie(config),
			operatorclientset.NewForConfigOrDie(config),
			func() bool { return *imageMode })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) // the kubelet starts the Pod again
	}
}

// run runs the controllers while this replica is the leader. It returns when ctx ends, a controller
// fails or the Lease is lost.
func run(
	ctx context.Context,
	kubeClient kubernetes.Interface,
	mcfgClient mcfgclientset.Interface,
	operatorClient operatorclientset.Interface,
	imageMode func() bool,
) error {
	// The controllers share the informers, so that each resource is listed and cached once.
	kube := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithTransform(trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(mcfgClient, 0, mcfginformers.WithTransform(trim))
	nodes := kube.Core().V1().Nodes()
	objects := mcfg.Machineconfiguration().V1()

	events := record.NewBroadcaster(record.WithContext(ctx))
	defer events.Shutdown()
	events.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: kubeClient.CoreV1().Events("")})
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "machine-config-operator"})

	controller, err1 := rollout.New(rollout.Config{
		Client:             mcfgClient,
		KubeClient:         kubeClient,
		Recorder:           recorder,
		Nodes:              nodes,
		Pools:              objects.MachineConfigPools(),
		MachineConfigNodes: objects.MachineConfigNodes(),
		ImageMode:          imageMode, // the feature gate ImageModeStatusReporting
	})
	statuses := pools.New(mcfgClient, nodes, objects, recorder)
	synced := func(ctx context.Context) { mcfg.WaitForCacheSync(ctx.Done()) }
	health, factories, err2 := reportComponents(
		ctx, kubeClient, operatorClient, objects.MachineConfigNodes().Lister(), synced,
		func() error { return checkObjects(controller) })
	identity, err3 := os.Hostname()
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	// The informers run until the controllers have returned.
	informing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	for _, f := range append(factories, kube, mcfg) {
		f.StartWithContext(informing)
	}
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "machine-config"},
		Client:     kubeClient.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	objectsOfNodes := func(ctx context.Context) error { return controller.Run(ctx, 4) }
	return lead(ctx, lock, objectsOfNodes, statuses.Run, health)
}

// checkObjects returns an error if the object of any node could not be written for 2 minutes: then
// the cause is not an API server that restarts.
func checkObjects(controller interface {
	Failing() (int, time.Time, error)
}) error {
	n, since, err := controller.Failing()
	if n == 0 || time.Since(since) < 2*time.Minute {
		return nil
	}
	return fmt.Errorf("%d MachineConfigNodes are not up to date, the first since %s: %w",
		n, since.UTC().Format(time.RFC3339), err)
}

// trim removes the managed fields of an object before an informer caches it. Managed fields are
// half of the size of an object.
func trim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
