package cluster

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
)

// Version is the OpenShift version that the cluster should have.
type Version struct {
	Desired string
	// IsUpdating is true if the cluster is not yet updated to Desired, since Since.
	IsUpdating bool
	Since      time.Time
}

// NewVersion reads the ClusterVersion.
func NewVersion(o *configv1.ClusterVersion) Version {
	v := Version{Desired: o.Status.Desired.Version}
	if len(o.Status.History) > 0 { // the newest update comes first
		last := o.Status.History[0]
		v.IsUpdating, v.Since = last.State == configv1.PartialUpdate, last.StartedTime.UTC()
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
