package main

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// state is what the API server holds.
type state struct {
	pools []*mcfgv1.MachineConfigPool
	nodes map[string][]*corev1.Node            // by pool
	mcns  map[string]*mcfgv1.MachineConfigNode // by node
}

// look reads the cluster.
func (w *world) look(ctx context.Context) (state, error) {
	now := state{nodes: map[string][]*corev1.Node{}, mcns: map[string]*mcfgv1.MachineConfigNode{}}
	pools, err := w.client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	for i := range pools.Items {
		now.pools = append(now.pools, &pools.Items[i])
	}
	nodes, err := w.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	mcns, err := w.client.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	for i := range mcns.Items {
		now.mcns[mcns.Items[i].Name] = &mcns.Items[i]
	}
	for i := range nodes.Items {
		primary, err := pool.Primary(&nodes.Items[i], now.pools)
		if err != nil {
			return now, err
		}
		if primary != nil {
			now.nodes[primary.Name] = append(now.nodes[primary.Name], &nodes.Items[i])
		}
	}
	return now, nil
}

// statusOf is what the status of a pool would be, if it had these nodes.
func statusOf(p *mcfgv1.MachineConfigPool, nodes []*corev1.Node, now state) mcfgv1.MachineConfigPoolStatus {
	var mcns []*mcfgv1.MachineConfigNode
	for _, node := range nodes {
		if mcn, ok := now.mcns[node.Name]; ok {
			mcns = append(mcns, mcn)
		}
	}
	return pool.Status(p, nodes, mcns, "", metav1.Time{})
}
