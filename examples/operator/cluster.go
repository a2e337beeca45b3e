package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
)

// cluster is the cluster that the controllers run on.
type cluster struct {
	kube   kubernetes.Interface
	leases coordinationv1client.LeasesGetter
	client mcfgclientset.Interface
	// configurations is nil without reports on the components.
	configurations operatorclientset.Interface
}

// connect returns the cluster of a kubeconfig. It lists what the controllers watch first, as
// an informer retries forever. It returns within the timeout.
func connect(ctx context.Context, opts options, timeout time.Duration) (*cluster, error) {
	file := opts.kubeconfig
	config, err := kubeconfig.Load(file, "upgrademonitor-example-operator")
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = opts.qps, opts.burst
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", file, err)
	}
	client, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", file, err)
	}

	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	mcfg := client.MachineconfigurationV1()
	if _, err := mcfg.MachineConfigPools().List(bounded, metav1.ListOptions{Limit: 1}); err != nil {
		return nil, listError(ctx, "MachineConfigPools", err, config, timeout)
	}
	if _, err := mcfg.MachineConfigNodes().List(bounded, metav1.ListOptions{Limit: 1}); err != nil {
		return nil, listError(ctx, "MachineConfigNodes", err, config, timeout)
	}
	if _, err := kube.CoreV1().Nodes().List(bounded, metav1.ListOptions{Limit: 1}); err != nil {
		return nil, listError(ctx, "Nodes", err, config, timeout)
	}
	leases, err := leaseClient(bounded, config, opts)
	if err != nil {
		return nil, err
	}
	found := &cluster{kube: kube, leases: leases, client: client}
	if opts.components {
		configurations, err := operatorclientset.NewForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("cannot use kubeconfig %s: %w", file, err)
		}
		if err := checkConfigurations(bounded, configurations); err != nil {
			return nil, err
		}
		found.configurations = configurations
	}
	return found, nil
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
func listError(ctx context.Context, what string, err error, config *rest.Config, timeout time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case utilnet.IsTimeout(err):
		return kubeconfig.TimeoutError(config, timeout)
	case utilnet.IsConnectionRefused(err):
		return fmt.Errorf("nothing listens at %s: start the API server, or name its kubeconfig", config.Host)
	case apierrors.IsNotFound(err): // a list is never missing, only its resource
		return fmt.Errorf("the API server %s has no %s: install the CRD %s.%s", config.Host, what, strings.ToLower(what), mcfgv1.GroupName)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("cannot list %s on %s: bind the user to the roles of scope.Operator: %w", what, config.Host, err)
	}
	return fmt.Errorf("cannot list %s on %s: %w", what, config.Host, err)
}
