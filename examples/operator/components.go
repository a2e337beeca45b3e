package main

import (
	"context"
	"errors"
	"time"

	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

type factory interface{ StartWithContext(context.Context) }

// reportComponents returns a function that reports the health of the operator, the controller and
// the daemons until its ctx ends. It also returns the factories of the informers, which the caller
// must start. synced must return when the cache of mcns has synced. The condition Degraded of the operator
// reports the error of check. Without the CRD, the function that
// it returns reports nothing.
func reportComponents(
	ctx context.Context,
	kubeClient kubernetes.Interface,
	operatorClient operatorclientset.Interface,
	mcns mcfglisters.MachineConfigNodeLister,
	synced func(context.Context),
	check func() error,
) (run func(context.Context) error, factories []factory, err error) {
	_, err = operatorClient.OperatorV1().MachineConfigurations().List(ctx, metav1.ListOptions{Limit: 1})
	if apierrors.IsNotFound(err) { // an informer would log an error every 30 seconds
		klog.FromContext(ctx).Info("Not reporting the health: the cluster has no CRD of MachineConfiguration")
		return func(ctx context.Context) error { <-ctx.Done(); return nil }, nil, nil
	}
	own := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithNamespace(namespace))
	deployments := own.Apps().V1().Deployments().Lister().Deployments(namespace)
	daemonSets := own.Apps().V1().DaemonSets().Lister().DaemonSets(namespace)
	operator := operatorinformers.NewSharedInformerFactory(operatorClient, 0)
	reporter, err := components.New(components.Config{
		Client:    operatorClient.OperatorV1().MachineConfigurations(),
		Lister:    operator.Operator().V1().MachineConfigurations().Lister(),
		Component: components.Operator,
	})
	if err != nil {
		return nil, nil, err
	}
	sync := func(context.Context) error { // a real operator also does its own work here
		list, err := mcns.List(labels.Everything())
		daemonSet, _ := daemonSets.Get("machine-config-daemon")       // if nil, Available is Unknown
		deployment, _ := deployments.Get("machine-config-controller") // if nil, Available is Unknown
		now := time.Now()
		daemons := components.Daemons(daemonSet, list, now)
		controller := components.Deployment(components.Controller, deployment, now)
		return errors.Join(err, check(),
			reporter.SetPeerConditions(components.Daemon, daemons...),
			reporter.SetPeerConditions(components.Controller, controller...))
	}
	run = func(ctx context.Context) error {
		own.WaitForCacheSync(ctx.Done())
		synced(ctx)
		first, done := context.WithCancel(ctx)
		go wait.UntilWithContext(ctx, func(ctx context.Context) {
			_ = reporter.Track(ctx, components.OperatorSync, "", sync) // the condition Degraded reports the error
			done()
		}, 30*time.Second)
		<-first.Done() // wait, so that the first write also has the conditions of the daemons and the controller
		return reporter.Run(ctx)
	}
	return run, []factory{own, operator}, nil
}
