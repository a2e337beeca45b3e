package main

import (
	"context"
	"errors"
	"fmt"

	operatorv1 "github.com/openshift/api/operator/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/examples/internal/componentreport"
	"github.com/openshift/upgrademonitor/examples/internal/election"
	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/examples/internal/program"
)

// leaseName is the name of the Lease whose holder runs the controllers.
const leaseName = "upgrademonitor-example-operator"

// cluster is the cluster that the controllers run on.
type cluster struct {
	kube    kubernetes.Interface
	leases  coordinationv1client.LeasesGetter
	client  mcfgclientset.Interface
	reports func(context.Context) error // on the components, until ctx ends; nil for none
}

// operate runs the controllers on a cluster until ctx ends.
func (c command) operate(ctx context.Context, opts options) error {
	cluster, err := c.connect(ctx, opts)
	if err != nil {
		return err
	}
	lead := func(ctx context.Context) error { return c.lead(ctx, cluster) }
	if !opts.leaderElect {
		return lead(ctx)
	}
	return election.Election{
		Leases:    cluster.leases,
		Namespace: opts.leaseNamespace,
		Name:      leaseName,
		Identity:  election.NewIdentity(),
		Duration:  opts.leaseDuration,
		Waiting: func(holder string) {
			c.Warn(fmt.Errorf("waiting for the Lease %s/%s, which %s holds", opts.leaseNamespace, leaseName, holder))
		},
	}.Run(ctx, lead)
}

// lead runs the controllers until ctx ends.
func (c command) lead(ctx context.Context, cluster *cluster) error {
	pools, err := cluster.client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list MachineConfigPools: %w", err)
	}
	if len(pools.Items) == 0 {
		c.Warn(errors.New("the cluster has no MachineConfigPools yet"))
	}
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	rows := newTable(c.Out, c.clock, fail)
	for i := range pools.Items {
		rows.OnAdd(&pools.Items[i], true)
	}
	rows.Begin()
	all := []func(context.Context) error{operator{kube: cluster.kube, client: cluster.client, pools: rows}.run}
	if cluster.reports != nil {
		all = append(all, cluster.reports)
	}
	err = program.Together(running, all...)
	if ctx.Err() == nil && err == nil {
		err = context.Cause(running) // of the table
	}
	return err
}

// connect returns the cluster of a kubeconfig. It lists what the controllers watch first, as
// an informer retries forever. It returns within the timeout.
func (c command) connect(ctx context.Context, opts options) (*cluster, error) {
	config, err := kubeconfig.Load(opts.kubeconfig, leaseName)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = opts.qps, opts.burst
	kube, errKube := kubernetes.NewForConfig(config)
	client, errClient := mcfgclientset.NewForConfig(config)
	configurations, errConfigurations := operatorclientset.NewForConfig(config)
	if err := errors.Join(errKube, errClient, errConfigurations); err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", opts.kubeconfig, err)
	}

	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	mcfg, one := client.MachineconfigurationV1(), metav1.ListOptions{Limit: 1}
	if _, err := mcfg.MachineConfigPools().List(bounded, one); err != nil {
		return nil, c.listError(ctx, "MachineConfigPools", err, config)
	}
	if _, err := mcfg.MachineConfigNodes().List(bounded, one); err != nil {
		return nil, c.listError(ctx, "MachineConfigNodes", err, config)
	}
	if _, err := kube.CoreV1().Nodes().List(bounded, one); err != nil {
		return nil, c.listError(ctx, "Nodes", err, config)
	}
	connected := &cluster{kube: kube, client: client}
	if connected.leases, err = leaseClient(bounded, config, opts); err != nil || !opts.components {
		return connected, err
	}
	connected.reports, err = c.reports(bounded, componentreport.Cluster{Kube: kube, Client: client, Configurations: configurations}, opts)
	return connected, err
}

// reports returns what reports on the components.
func (c command) reports(ctx context.Context, cluster componentreport.Cluster, opts options) (func(context.Context) error, error) {
	object, err := cluster.Get(ctx)
	if err != nil {
		return nil, err
	}
	var ready func(*operatorv1.MachineConfiguration) bool
	if opts.bootImages {
		ready = componentreport.HasBootImageConditions
		if !ready(object) {
			c.Warn(fmt.Errorf("waiting for the controller of boot images to add its conditions to MachineConfiguration cluster; use --boot-images=false on a cluster without that controller"))
		}
	}
	return cluster.Operator(ready).Run, nil
}

// leaseClient returns a client of Leases, whose requests do not wait for those of the
// controllers. With leader election it makes sure that the Lease can be read.
func leaseClient(ctx context.Context, config *rest.Config, opts options) (coordinationv1client.LeasesGetter, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 0, 0 // the defaults
	client, err := coordinationv1client.NewForConfig(config)
	if err != nil || !opts.leaderElect {
		return client, err
	}
	if _, err := client.Leases(opts.leaseNamespace).Get(ctx, leaseName, metav1.GetOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("cannot read the Lease %s/%s on %s: grant the user get, create and update of leases, or use --leader-elect=false: %w",
			opts.leaseNamespace, leaseName, config.Host, err)
	}
	return client, nil
}

// listError explains why objects cannot be listed, and what to do.
func (c command) listError(ctx context.Context, kinds string, err error, config *rest.Config) error {
	if explained := kubeconfig.ExplainError(ctx, config, c.timeout, kinds, err); explained != nil {
		return explained
	}
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("cannot list %s on %s: bind the user to the roles of scope.Operator: %w", kinds, config.Host, err)
	}
	return fmt.Errorf("cannot list %s on %s: %w", kinds, config.Host, err)
}
