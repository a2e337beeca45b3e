package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
)

// cluster is a cluster that the controllers can run on.
type cluster struct {
	kube   kubernetes.Interface
	client mcfgclientset.Interface
	pools  []mcfgv1.MachineConfigPool
}

// connect reaches the cluster of a kubeconfig, and makes sure that what the controllers
// watch can be listed: an informer tries forever. It answers within the patience.
func connect(ctx context.Context, file string, patience time.Duration) (*cluster, error) {
	config, err := kubeconfig.Load(file, "upgrademonitor-example-operator")
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 200, 400 // client-go's 5 a second would take minutes for a few hundred new nodes
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", file, err)
	}
	client, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", file, err)
	}

	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	mcfg := client.MachineconfigurationV1()
	pools, err := mcfg.MachineConfigPools().List(bounded, metav1.ListOptions{})
	if err != nil {
		return nil, unlisted(ctx, "MachineConfigPools", err, config, patience)
	}
	if _, err := mcfg.MachineConfigNodes().List(bounded, metav1.ListOptions{Limit: 1}); err != nil {
		return nil, unlisted(ctx, "MachineConfigNodes", err, config, patience)
	}
	if _, err := kube.CoreV1().Nodes().List(bounded, metav1.ListOptions{Limit: 1}); err != nil {
		return nil, unlisted(ctx, "Nodes", err, config, patience)
	}
	return &cluster{kube: kube, client: client, pools: pools.Items}, nil
}

// unlisted says why objects cannot be listed, and what to do.
func unlisted(ctx context.Context, what string, err error, config *rest.Config, patience time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case utilnet.IsTimeout(err):
		return kubeconfig.Silent(config, patience)
	case utilnet.IsConnectionRefused(err):
		return fmt.Errorf("nothing listens at %s: start the API server, or name its kubeconfig", config.Host)
	case apierrors.IsNotFound(err): // of a list, it is the resource
		return fmt.Errorf("the API server %s has no %s: install the CRD %s.%s", config.Host, what, strings.ToLower(what), mcfgv1.GroupName)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("cannot list %s on %s: bind the user to the roles of scope.Operator: %w", what, config.Host, err)
	}
	return fmt.Errorf("cannot list %s on %s: %w", what, config.Host, err)
}
