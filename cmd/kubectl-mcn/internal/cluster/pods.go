package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// Budget is the selector and the status of a PodDisruptionBudget.
type Budget struct {
	Selector labels.Selector
	// AlwaysAllow is true if pods that are not Ready may always be evicted.
	AlwaysAllow bool
	// Failure is why the counts of the status are not those of the pods, or "". Then the API server refuses each eviction
	// that needs a permission.
	Failure string
	policyv1.PodDisruptionBudgetStatus
}

// Allows reports whether the API server evicts a pod that only this budget selects. A pod that is not Ready is no
// loss, if there are as many healthy pods as the budget demands.
func (b Budget) Allows(p Pod) bool {
	hasEnough := b.DesiredHealthy > 0 && b.CurrentHealthy >= b.DesiredHealthy
	return b.DisruptionsAllowed > 0 || !p.NotReady.IsZero() && (b.AlwaysAllow || hasEnough)
}

// Waits reports whether the budget refuses evictions because pods are not healthy. It may allow one once they are Ready.
func (b Budget) Waits() bool {
	return b.Failure == "" && b.DisruptionsAllowed <= 0 && b.CurrentHealthy < b.ExpectedPods
}

// Pod is a pod that the error of a drain names, or another pod of a budget that refuses such a pod. A pod that is gone
// does not exist.
type Pod struct {
	Labels  labels.Set
	Node    string // the name of its node, or "" if it has none
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
	p := Pod{Labels: o.Labels, Node: o.Spec.NodeName, Created: o.CreationTimestamp.Time}
	if o.DeletionTimestamp != nil {
		grace := time.Duration(ptr.Deref(o.DeletionGracePeriodSeconds, 0)) * time.Second
		p.Ends, p.Deleted, p.Finalizers = o.DeletionTimestamp.Time, o.DeletionTimestamp.Add(-grace), o.Finalizers
	}
	hasEnded := o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed
	p.IsUnguarded = hasEnded || o.Status.Phase == corev1.PodPending
	for _, c := range o.Status.Conditions {
		if !hasEnded && (c.Type == corev1.PodReady || c.Type == corev1.PodScheduled) && c.Status != corev1.ConditionTrue {
			p.NotReady, p.Why = c.LastTransitionTime.UTC(), cmp.Or(whyNotRunning(&o.Status), c.Message)
		}
	}
	return p
}

// whyNotRunning returns why the first container that waits does not run, or "".
func whyNotRunning(status *corev1.PodStatus) string {
	for _, c := range slices.Concat(status.InitContainerStatuses, status.ContainerStatuses) {
		last := c.LastTerminationState.Terminated
		switch waiting := c.State.Waiting; {
		case waiting != nil && last != nil:
			return fmt.Sprintf("%s, container %s ended with %s, exit code %d", waiting.Reason, c.Name, last.Reason, last.ExitCode)
		case waiting != nil:
			return strings.TrimSuffix(waiting.Reason+": "+waiting.Message, ": ")
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
	b := Budget{selector, isAlways, "", o.Status}
	if b.ObservedGeneration < o.Generation {
		b.Failure, b.DisruptionsAllowed = "its last change is not processed yet", 0
	}
	if c := meta.FindStatusCondition(b.Conditions, policyv1.DisruptionAllowedCondition); c != nil && c.Reason == policyv1.SyncFailedReason {
		b.Failure = c.Message // then observedGeneration may be behind, too
	}
	return b
}
