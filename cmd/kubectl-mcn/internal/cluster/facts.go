package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
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
	// whose budgets could be read. Pods has the pods that errors of drains name and that could be read.
	Budgets   map[types.NamespacedName]Budget
	BudgetsOf map[string]bool
	Pods      map[types.NamespacedName]Pod
	// Older is about the time of the Nodes and the pools, if they are older than the
	// MachineConfigNodes. Otherwise it is zero.
	Older time.Time
}

// Budget is the selector and the status of a PodDisruptionBudget.
type Budget struct {
	Selector labels.Selector
	// AlwaysAllow is true if pods that are not Ready may always be evicted.
	AlwaysAllow bool
	policyv1.PodDisruptionBudgetStatus
}

// Allows reports whether the API server evicts a pod that only this budget selects. A pod that is not Ready is no
// loss, if there are as many healthy pods as the budget demands.
func (b Budget) Allows(p Pod) bool {
	hasEnough := b.DesiredHealthy > 0 && b.CurrentHealthy >= b.DesiredHealthy
	return b.DisruptionsAllowed > 0 || !p.NotReady.IsZero() && (b.AlwaysAllow || hasEnough)
}

// Pod is a pod that the error of a drain names. A pod that is gone does not exist.
type Pod struct {
	Labels  labels.Set
	Created time.Time
	IsGone  bool
	// Deleted is when the pod was deleted, and Ends when its grace period ends. No budget refuses such a pod.
	// Finalizers are what it waits for after that. All are zero unless the pod is terminating.
	Deleted, Ends time.Time
	Finalizers    []string
	// IsUnguarded is true if no budget protects the pod: it has not started, or has ended.
	IsUnguarded bool
	// NotReady is when the pod became not Ready, and Why the cause. They are zero if the pod is Ready, or has ended.
	NotReady time.Time
	Why      string
}

// NewPod reads a Pod.
func NewPod(o *corev1.Pod) Pod {
	p := Pod{Labels: o.Labels, Created: o.CreationTimestamp.Time, Finalizers: o.Finalizers}
	if o.DeletionTimestamp != nil {
		grace := time.Duration(ptr.Deref(o.DeletionGracePeriodSeconds, 0)) * time.Second
		p.Ends, p.Deleted = o.DeletionTimestamp.Time, o.DeletionTimestamp.Add(-grace)
	}
	hasEnded := o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed
	p.IsUnguarded = hasEnded || o.Status.Phase == corev1.PodPending
	for _, c := range o.Status.Conditions {
		if !hasEnded && (c.Type == corev1.PodReady || c.Type == corev1.PodScheduled) && c.Status != corev1.ConditionTrue {
			p.NotReady, p.Why = c.LastTransitionTime.UTC(), cmp.Or(whyNotRunning(&o.Status), c.Message, c.Reason)
		}
	}
	return p
}

// whyNotRunning returns why the first container that does not run does not, or "".
func whyNotRunning(status *corev1.PodStatus) string {
	for _, c := range slices.Concat(status.InitContainerStatuses, status.ContainerStatuses) {
		last := c.LastTerminationState.Terminated
		switch waiting, ended := c.State.Waiting, c.State.Terminated; {
		case waiting != nil && last != nil:
			return fmt.Sprintf("%s, container %s ended with %s, exit code %d", waiting.Reason, c.Name, last.Reason, last.ExitCode)
		case waiting != nil:
			return strings.TrimSuffix(waiting.Reason+": "+waiting.Message, ": ")
		case ended != nil && ended.ExitCode != 0:
			return fmt.Sprintf("container %s ended with %s, exit code %d", c.Name, ended.Reason, ended.ExitCode)
		}
	}
	return ""
}

// NewBudget reads a PodDisruptionBudget. A selector that is invalid selects nothing.
func NewBudget(o *policyv1.PodDisruptionBudget) Budget {
	selector, err := metav1.LabelSelectorAsSelector(o.Spec.Selector)
	if err != nil {
		selector = labels.Nothing()
	}
	isAlways := ptr.Deref(o.Spec.UnhealthyPodEvictionPolicy, "") == policyv1.AlwaysAllow
	return Budget{selector, isAlways, o.Status}
}

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
