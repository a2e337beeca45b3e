package main

import (
	"context"
	"errors"
	"time"

	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

type factory interface{ StartWithContext(context.Context) }

// reportComponents returns a function that reports the health of the operator, the controller and the daemons until its ctx
// ends, and the factories of its informers, which the caller starts. synced waits for the cache of mcns.
func reportComponents(kubeClient kubernetes.Interface, operatorClient operatorclientset.Interface, mcns mcfglisters.MachineConfigNodeLister,
	synced func(context.Context)) (run func(context.Context) error, factories []factory, err error) {
	own := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithNamespace(namespace))
	operator := operatorinformers.NewSharedInformerFactory(operatorClient, 0)
	configurations, daemonSets := operator.Operator().V1().MachineConfigurations(), own.Apps().V1().DaemonSets().Lister()
	reporter, err := components.New(components.Config{Component: components.Operator,
		Client: operatorClient.OperatorV1().MachineConfigurations(), Lister: configurations.Lister()})
	if err != nil {
		return nil, nil, err
	}
	_, err1 := configurations.Informer().AddEventHandler(reporter.Handler())
	controller, err2 := components.NewLeaseWatch(components.LeaseConfig{Component: components.Controller,
		Client: kubeClient.CoordinationV1().Leases(namespace), SetPeerConditions: reporter.SetPeerConditions})
	sync := func(context.Context) error { // the operator's own work, and what it knows of the daemons
		list, err := mcns.List(labels.Everything())
		daemonSet, _ := daemonSets.DaemonSets(namespace).Get("machine-config-daemon") // nil: Unknown
		return errors.Join(err, reporter.SetPeerConditions(components.Daemon, components.Daemons(daemonSet, list, time.Now())...))
	}
	report := func(ctx context.Context) error {
		own.WaitForCacheSync(ctx.Done())
		synced(ctx)
		first, done := context.WithCancel(ctx)
		go wait.UntilWithContext(ctx, func(ctx context.Context) {
			_ = reporter.Track(ctx, components.OperatorSync, "", sync) // Degraded has the error
			done()
		}, 30*time.Second)
		<-first.Done() // the first write has all that is known
		return reporter.Run(ctx)
	}
	run = func(ctx context.Context) error { return together(ctx, ctx, controller.Run, report) }
	return run, []factory{own, operator}, errors.Join(err1, err2)
}
