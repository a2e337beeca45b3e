package cluster

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
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
	// Budgets are the PodDisruptionBudgets in the namespaces of refused evictions. BudgetsOf has the namespaces
	// whose budgets could be read. Pods has the pods that errors of drains name, and those of the budgets that
	// refuse them, as far as they could be read.
	Budgets   map[types.NamespacedName]Budget
	BudgetsOf map[string]bool
	Pods      map[types.NamespacedName]Pod
	// Older is about the time of the Nodes and the pools, if they are older than the
	// MachineConfigNodes. Otherwise it is zero.
	Older time.Time
}

// Version is the OpenShift version that the cluster should have.
type Version struct {
	Desired string
	// IsUpdating is true if the cluster is not yet updated to Desired, since Since.
	IsUpdating bool
	Since      time.Time
	// Message says how far the update is, or what it waits for. It is "" if it only has the version.
	Message string
}

// NewVersion reads the ClusterVersion.
func NewVersion(o *configv1.ClusterVersion) Version {
	v := Version{Desired: o.Status.Desired.Version}
	if len(o.Status.History) > 0 { // the newest update comes first
		last := o.Status.History[0]
		v.IsUpdating, v.Since = last.State == configv1.PartialUpdate, last.StartedTime.UTC()
	}
	for _, c := range o.Status.Conditions {
		if v.IsUpdating && c.Type == configv1.OperatorProgressing && !mco.OnlyVersion.MatchString(c.Message) {
			v.Message = c.Message
		}
	}
	return v
}

// OperatorProblems returns the conditions of the ClusterOperator machine-config that report a failure.
func OperatorProblems(o *configv1.ClusterOperator) []PoolCondition {
	bad := map[configv1.ClusterStatusConditionType]configv1.ConditionStatus{
		configv1.OperatorAvailable: configv1.ConditionFalse, configv1.OperatorDegraded: configv1.ConditionTrue,
	}
	var all []PoolCondition
	for _, c := range o.Status.Conditions {
		if c.Status == bad[c.Type] {
			all = append(all, PoolCondition{Type: string(c.Type), Since: c.LastTransitionTime.UTC(), Message: c.Message})
		}
	}
	return all
}
