package simulation

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// State is what the API server holds.
type State struct {
	Pools              []*mcfgv1.MachineConfigPool
	Nodes              map[string][]*corev1.Node            // by pool
	MachineConfigNodes map[string]*mcfgv1.MachineConfigNode // by node
}

// State reads the cluster.
func (c *Cluster) State(ctx context.Context) (State, error) {
	state := State{Nodes: map[string][]*corev1.Node{}, MachineConfigNodes: map[string]*mcfgv1.MachineConfigNode{}}
	pools, err := c.client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
	if err != nil {
		return state, err
	}
	for i := range pools.Items {
		state.Pools = append(state.Pools, &pools.Items[i])
	}
	nodes, err := c.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return state, err
	}
	mcns, err := c.client.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return state, err
	}
	for i := range mcns.Items {
		state.MachineConfigNodes[mcns.Items[i].Name] = &mcns.Items[i]
	}
	for i := range nodes.Items {
		primary, err := pool.Primary(&nodes.Items[i], state.Pools)
		if err != nil {
			return state, err
		}
		if primary != nil {
			state.Nodes[primary.Name] = append(state.Nodes[primary.Name], &nodes.Items[i])
		}
	}
	return state, nil
}

// WaitForStatus waits until each node has reported and the status of each pool is that of its nodes.
// It returns that state.
func (c *Cluster) WaitForStatus(ctx context.Context) (State, error) {
	var last State
	err := c.until(ctx, func(state State) (bool, error) {
		last = state
		return state.hasStatus(), nil
	})
	return last, err
}

// hasStatus reports whether each node has reported and the status of each pool is that of its nodes.
func (s State) hasStatus() bool {
	for _, p := range s.Pools {
		for _, node := range s.Nodes[p.Name] {
			if mcn := s.MachineConfigNodes[node.Name]; mcn == nil || len(mcn.Status.Conditions) == 0 {
				return false
			}
		}
		if !equality.Semantic.DeepEqual(p.Status, s.status(p, s.Nodes[p.Name])) {
			return false
		}
	}
	return true
}

// status returns what the status of a pool would be with these nodes.
func (s State) status(p *mcfgv1.MachineConfigPool, nodes []*corev1.Node) mcfgv1.MachineConfigPoolStatus {
	var mcns []*mcfgv1.MachineConfigNode
	for _, node := range nodes {
		if mcn, ok := s.MachineConfigNodes[node.Name]; ok {
			mcns = append(mcns, mcn)
		}
	}
	return pool.Status(p, nodes, mcns, pool.Options{}, metav1.Time{})
}
