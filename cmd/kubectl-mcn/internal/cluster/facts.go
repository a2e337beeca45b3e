package cluster

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Facts are what is known about a cluster in addition to its pools and nodes. Each of them may be
// missing.
type Facts struct {
	// Configs are the known MachineConfigs, by name.
	Configs map[string]MachineConfig
	// Version is the desired version of the cluster.
	Version Version
	// Operator has the problems of the ClusterOperator machine-config.
	Operator []PoolCondition
	// Budgets are the PodDisruptionBudgets in the namespaces of refused evictions.
	Budgets map[types.NamespacedName]policyv1.PodDisruptionBudgetStatus
	// NoManagedFields is set if no MachineConfigNode has managedFields, so that the times at which
	// updates were requested are not known.
	NoManagedFields bool
	// Older is about the time of the Nodes and the pools, if they are older than the
	// MachineConfigNodes. Otherwise it is zero.
	Older time.Time
}
