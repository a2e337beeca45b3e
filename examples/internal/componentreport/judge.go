package componentreport

import (
	"context"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/informer"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// The objects that the operator of a cluster judges by.
const (
	namespace     = "openshift-machine-config-operator"
	daemonSetName = "machine-config-daemon"
)

// judge judges the controller by its Lease, and the daemons by their DaemonSet and
// MachineConfigNodes.
type judge struct {
	kube   kubernetes.Interface
	client mcfgclientset.Interface
	clock  clock.PassiveClock
}

// run judges until ctx ends.
func (j judge) run(ctx context.Context, reporter *components.Reporter) error {
	leases, err := components.NewLeaseWatch(components.LeaseConfig{
		Client: j.kube.CoordinationV1().Leases(namespace), Component: components.Controller, SetPeerConditions: reporter.SetPeerConditions,
	})
	if err != nil {
		return err
	}
	factory := mcfginformers.NewSharedInformerFactoryWithOptions(j.client, 0, mcfginformers.WithTransform(pool.Trim))
	mcns := factory.Machineconfiguration().V1().MachineConfigNodes()
	if err := informer.LogWatchErrors(mcns.Informer()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.StartWithContext(ctx)
	return program.Together(ctx, leases.Run, func(ctx context.Context) error {
		factory.WaitForCacheSync(ctx.Done())
		return j.daemons(ctx, reporter, mcns.Lister())
	})
}

// daemons judges the daemons until ctx ends. A DaemonSet that cannot be read is like one that does
// not exist.
func (j judge) daemons(ctx context.Context, reporter *components.Reporter, lister mcfglisters.MachineConfigNodeLister) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		var ds *appsv1.DaemonSet
		if found, err := j.kube.AppsV1().DaemonSets(namespace).Get(ctx, daemonSetName, metav1.GetOptions{ResourceVersion: "0"}); err == nil {
			ds = found
		}
		list, err := lister.List(labels.Everything())
		if err != nil {
			return err
		}
		if err := reporter.SetPeerConditions(components.Daemon, components.Daemons(ds, list, j.clock.Now())...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	return nil
}
