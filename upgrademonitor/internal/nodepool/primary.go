// Package nodepool selects the MachineConfigPool of a Node. Package pool exports its names, so that a
// program that runs package rollout does not need the rest of package pool.
package nodepool

import (
	"fmt"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// Primary returns the pool that provides the config of a node, or nil if no pool selects the node.
// pools are all pools of the cluster. Primary of package pool has the rules.
func Primary(node *corev1.Node, pools []*mcfgv1.MachineConfigPool) (*mcfgv1.MachineConfigPool, error) {
	if nodemeta.IsWindows(node) {
		return nil, nil
	}
	var first *mcfgv1.MachineConfigPool
	var exclusive []string
	for _, pool := range pools {
		if pool == nil {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
		if err != nil {
			return nil, &SelectorError{Pool: pool.Name, Err: err}
		}
		if selector.Empty() || !selector.Matches(labels.Set(node.Labels)) {
			continue
		}
		if rank(pool) == customRank || pool.Name == nodemeta.Arbiter {
			exclusive = append(exclusive, pool.Name)
		}
		if first == nil || rank(pool) < rank(first) {
			first = pool
		}
	}
	if len(exclusive) > 1 {
		slices.Sort(exclusive)
		return nil, &ConflictError{NodeName: node.Name, Pools: exclusive}
	}
	return first, nil
}

const customRank = 2

func rank(pool *mcfgv1.MachineConfigPool) int {
	switch pool.Name {
	case nodemeta.Master:
		return 0
	case nodemeta.Arbiter:
		return 1
	case nodemeta.Worker:
		return 3
	}
	return customRank
}

// ConflictError means that two custom pools, or arbiter and a custom pool, select the same node.
type ConflictError struct {
	NodeName string
	Pools    []string // sorted
}

// Error names the node and the pools, and says what to change.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("node %s is selected by conflicting pools (%s): change the labels of the node "+
		"or the nodeSelectors of the pools, so that only one of these pools selects the node",
		e.NodeName, strings.Join(e.Pools, ", "))
}

// SelectorError means that the nodeSelector of a pool is invalid.
type SelectorError struct {
	Pool string
	Err  error
}

// Error names the pool and the cause.
func (e *SelectorError) Error() string {
	return fmt.Sprintf("MachineConfigPool %s: invalid nodeSelector: %v", e.Pool, e.Err)
}

// Unwrap returns the cause.
func (e *SelectorError) Unwrap() error { return e.Err }
