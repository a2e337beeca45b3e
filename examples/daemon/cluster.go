package main

import (
	"context"
	"fmt"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/scope"
)

// cluster is where the MachineConfigNode is, and the daemon's view of its Node.
type cluster struct {
	clientset mcfgclientset.Interface
	client    *scope.Client // reaches the one object, for the rows
	node      *node
}

// connect reaches the cluster that the options ask for, and makes sure that it can hold
// the object. It answers within the program's patience.
func connect(ctx context.Context, opts options, p program) (*cluster, error) {
	if opts.kubeconfig == "" {
		return newCluster(memory.MachineConfigs(), newNode(opts.node, "1a01a163-ca89-4007-99cf-87012214c953"))
	}
	config, err := kubeconfig.Load(opts.kubeconfig, "upgrademonitor-example-daemon")
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100 // an update without real work comes all at once
	clientset, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", opts.kubeconfig, err)
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", opts.kubeconfig, err)
	}

	bounded, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	_, err = clientset.MachineconfigurationV1().MachineConfigNodes().Get(bounded, opts.node, metav1.GetOptions{})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case utilnet.IsTimeout(err):
		return nil, kubeconfig.Silent(config, p.patience)
	case isNoSuchResource(err):
		return nil, fmt.Errorf("the API server %s has no MachineConfigNodes: install the CRD machineconfignodes.machineconfiguration.openshift.io", config.Host)
	case err != nil && !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("cannot read the MachineConfigNode from %s: %w", config.Host, err)
	}

	found, err := core.CoreV1().Nodes().Get(bounded, opts.node, metav1.GetOptions{})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case utilnet.IsTimeout(err):
		return nil, kubeconfig.Silent(config, p.patience)
	case apierrors.IsNotFound(err):
		p.complain(fmt.Errorf("there is no Node %s on the cluster: going on with a made-up one, without UID, that cannot own the MachineConfigNode", opts.node))
		return newCluster(clientset, newNode(opts.node, ""))
	case err != nil:
		return nil, fmt.Errorf("cannot read the Node from %s: %w", config.Host, err)
	}
	return newCluster(clientset, newNode(found.Name, string(found.UID)))
}

func newCluster(clientset mcfgclientset.Interface, n *node) (*cluster, error) {
	client, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), n.node.Name)
	if err != nil {
		return nil, err
	}
	return &cluster{clientset: clientset, client: client, node: n}, nil
}

// isNoSuchResource tells a resource that the API server does not have from an object that
// it does not have. Both are a 404, but only the second one speaks of the object.
func isNoSuchResource(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
