package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodepool"
)

// Primary returns the pool that provides the config of a node, or nil if no pool selects the node.
// pools are all pools of the cluster.
//
//  1. A pool selects the nodes whose labels its nodeSelector matches. An empty nodeSelector selects no
//     node. No pool selects a Windows node.
//  2. If several pools select the node, the result is the first of master, arbiter, the custom pool
//     and worker.
//  3. If two custom pools, or arbiter and a custom pool, select the node, the error is a
//     *ConflictError, even if master or worker also selects the node.
//  4. If the nodeSelector of any pool is invalid, the error is a *SelectorError, because that pool
//     might select the node.
func Primary(node *corev1.Node, pools []*mcfgv1.MachineConfigPool) (*mcfgv1.MachineConfigPool, error) {
	return nodepool.Primary(node, pools)
}

// ConflictError means that two custom pools, or arbiter and a custom pool, select the same node. Its
// fields are NodeName and Pools, which is sorted.
type ConflictError = nodepool.ConflictError

// SelectorError means that the nodeSelector of a pool is invalid. Its fields are Pool and Err, the cause.
type SelectorError = nodepool.SelectorError
