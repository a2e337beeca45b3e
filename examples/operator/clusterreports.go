package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// The objects and the interval of the operator's judgements on a cluster.
const (
	operatorNamespace = "openshift-machine-config-operator"
	daemonSetName     = "machine-config-daemon"
	reportInterval    = time.Minute
)

// clusterReports reports on the operator of a cluster, and judges the controller and the daemons. A
// cluster with a controller of boot images needs Config.Ready, too: see docs/components.md.
func clusterReports(kube kubernetes.Interface, client mcfgclientset.Interface, configurations operatorclientset.Interface) reports {
	j := judge{kube: kube, client: client, clock: clock.RealClock{}}
	return reports{
		client:   configurations,
		state:    components.OperatorSync,
		steps:    []syncStep{{components.OperatorSyncMCP, func(ctx context.Context) error { return checkPools(ctx, client) }}},
		interval: reportInterval,
		config:   components.Config{Component: components.Operator},
		judge:    j.run,
	}
}

// checkPools returns an error for the first pool whose nodes cannot be selected.
func checkPools(ctx context.Context, client mcfgclientset.Interface) error {
	list, err := client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	for _, p := range list.Items {
		if _, err := metav1.LabelSelectorAsSelector(p.Spec.NodeSelector); err != nil {
			return fmt.Errorf("MachineConfigPool %s: invalid nodeSelector: %w", p.Name, err)
		}
	}
	return nil
}

// judge is the operator's judgement of the other components.
type judge struct {
	kube   kubernetes.Interface
	client mcfgclientset.Interface
	clock  clock.PassiveClock
}

// run judges until ctx ends.
func (j judge) run(ctx context.Context, reporter *components.Reporter) error {
	leases, err := components.NewLeaseWatch(components.LeaseConfig{
		Client: j.kube.CoordinationV1().Leases(operatorNamespace), Component: components.Controller, Judge: reporter.Judge,
	})
	if err != nil {
		return err
	}
	factory := mcfginformers.NewSharedInformerFactoryWithOptions(j.client, 0, mcfginformers.WithTransform(pool.Trim))
	mcns := factory.Machineconfiguration().V1().MachineConfigNodes()
	if err := mcns.Informer().SetWatchErrorHandlerWithContext(unlessEnded); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watched := make(chan error, 1)
	watching.Go(func() { watched <- leases.Run(ctx) })
	factory.WaitForCacheSync(ctx.Done())

	ticker := time.NewTicker(reportInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if err := j.daemons(ctx, reporter, mcns.Lister()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case err := <-watched:
			return err
		case <-ticker.C:
		}
	}
	return nil
}

// daemons judges the daemons. A DaemonSet that cannot be read is like one that does not exist.
func (j judge) daemons(ctx context.Context, reporter *components.Reporter, lister mcfglisters.MachineConfigNodeLister) error {
	var ds *appsv1.DaemonSet
	if found, err := j.kube.AppsV1().DaemonSets(operatorNamespace).Get(ctx, daemonSetName, metav1.GetOptions{ResourceVersion: "0"}); err == nil {
		ds = found
	}
	list, err := lister.List(labels.Everything())
	if err != nil {
		return err
	}
	return reporter.Judge(components.Daemon, components.Daemons(ds, list, j.clock.Now())...)
}

// checkConfigurations makes sure that the reports can be written.
func checkConfigurations(ctx context.Context, client operatorclientset.Interface) error {
	_, err := client.OperatorV1().MachineConfigurations().Get(ctx, components.ObjectName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		return fmt.Errorf("the API server has no MachineConfigurations: install the CRD machineconfigurations.operator.openshift.io, or omit --components: %w", err)
	case apierrors.IsNotFound(err):
		return nil // it is waited for
	case apierrors.IsForbidden(err):
		return fmt.Errorf("cannot read MachineConfiguration %s: bind the user to the roles of scope.Components, or omit --components: %w", components.ObjectName, err)
	case err != nil:
		return fmt.Errorf("cannot read MachineConfiguration %s: %w", components.ObjectName, err)
	}
	return nil
}
