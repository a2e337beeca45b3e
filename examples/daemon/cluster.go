package main

import (
	"context"
	"fmt"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/scope"
)

// cluster is the API server of the MachineConfigNode, and the daemon's view of its Node.
type cluster struct {
	clientset mcfgclientset.Interface
	client    *scope.Client // of the one object, for the view
	node      *node
}

// connect returns the cluster of the options. It reads the object and the Node first. It returns within the timeout.
func connect(ctx context.Context, opts options, c command) (*cluster, error) {
	if opts.kubeconfig == "" {
		return newCluster(memory.MachineConfigs(memory.WithTimes(c.now)), newNode(opts.node, "1a01a163-ca89-4007-99cf-87012214c953"))
	}
	config, err := kubeconfig.Load(opts.kubeconfig, "upgrademonitor-example-daemon")
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100 // without --step-delay, all reports come at once
	clientset, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", opts.kubeconfig, err)
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", opts.kubeconfig, err)
	}

	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	_, err = clientset.MachineconfigurationV1().MachineConfigNodes().Get(bounded, opts.node, metav1.GetOptions{})
	if explained := kubeconfig.ExplainError(ctx, config, c.timeout, "MachineConfigNodes", err); explained != nil {
		return nil, explained
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("cannot read the MachineConfigNode from %s: %w", config.Host, err)
	}

	found, err := core.CoreV1().Nodes().Get(bounded, opts.node, metav1.GetOptions{})
	if explained := kubeconfig.ExplainError(ctx, config, c.timeout, "Nodes", err); explained != nil {
		return nil, explained
	}
	switch {
	case apierrors.IsNotFound(err):
		c.Warn(fmt.Errorf("the cluster has no Node %s: the MachineConfigNode will have no owner", opts.node))
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
