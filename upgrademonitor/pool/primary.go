package pool

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// The pools that every cluster may have. All others are custom pools.
const (
	Master  = "master"
	Arbiter = "arbiter"
	Worker  = "worker"
)

// Primary returns the pool that a node gets its config from, or nil where no pool wants it.
//
//  1. A pool wants the nodes that its nodeSelector matches; without a selector, or with an
//     empty one, it wants none.
//  2. Nobody wants a Windows node.
//  3. A node that two custom pools want gives a *ConflictError, whatever else wants it.
//  4. Otherwise Master comes first, then Arbiter, then a custom pool, then Worker.
//  5. A selector that cannot be read gives a *SelectorError: whom that pool wants, nobody knows.
func Primary(node *corev1.Node, pools []*mcfgv1.MachineConfigPool) (*mcfgv1.MachineConfigPool, error) {
	return primary(node, selections(pools))
}

func primary(node *corev1.Node, pools []selection) (*mcfgv1.MachineConfigPool, error) {
	if IsWindows(node) {
		return nil, nil
	}
	var first *mcfgv1.MachineConfigPool
	var custom []string
	for _, s := range pools {
		if s.err != nil {
			return nil, s.err
		}
		if !s.wants(node) {
			continue
		}
		if rank(s.pool) == customRank {
			custom = append(custom, s.pool.Name)
		}
		if first == nil || rank(s.pool) < rank(first) {
			first = s.pool
		}
	}
	if len(custom) > 1 {
		slices.Sort(custom)
		return nil, &ConflictError{NodeName: node.Name, Pools: custom}
	}
	return first, nil
}

// IsWindows reports whether a node runs Windows. No pool manages such a node.
func IsWindows(node *corev1.Node) bool {
	if os, ok := node.Labels[corev1.LabelOSStable]; ok {
		return os == string(corev1.Windows)
	}
	return node.Status.NodeInfo.OperatingSystem == string(corev1.Windows)
}

const customRank = 2

func rank(pool *mcfgv1.MachineConfigPool) int {
	switch pool.Name {
	case Master:
		return 0
	case Arbiter:
		return 1
	case Worker:
		return 3
	}
	return customRank
}
