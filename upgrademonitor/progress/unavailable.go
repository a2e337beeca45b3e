package progress

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// Unavailable is a reason why a node is unavailable.
type Unavailable struct {
	Reason UnavailableReason
	Since  time.Time // zero if it is not known
}

// UnavailableReason is a state of a Node in which machine-config-operator does not update the node,
// and counts the node against maxUnavailable of its pool.
type UnavailableReason string

// The reasons. AnnotationsMissing means that the Node has lost one of the annotations currentConfig,
// desiredConfig and state, so machine-config-operator does not count its update as done. Cordoned
// means that the Node is unschedulable. The other reasons come from conditions of the Node.
const (
	NotReady           UnavailableReason = "NotReady"
	DiskPressure       UnavailableReason = "DiskPressure"
	NetworkUnavailable UnavailableReason = "NetworkUnavailable"
	AnnotationsMissing UnavailableReason = "AnnotationsMissing"
	Cordoned           UnavailableReason = "Cordoned"
)

// unavailable returns the reasons of a Node, in the order of the constants. A condition that is
// Unknown makes the node unavailable. A Node without the condition Ready is NotReady. If a kubelet
// stops reporting, all conditions of its Node become Unknown. Then NotReady is the only reason that
// comes from a condition.
func unavailable(node *corev1.Node) []Unavailable {
	var list []Unavailable
	add := func(reason UnavailableReason, since time.Time) {
		list = append(list, Unavailable{Reason: reason, Since: since.UTC()})
	}
	if c := findCondition(node, corev1.NodeReady); c == nil {
		add(NotReady, time.Time{})
	} else if c.Status != corev1.ConditionTrue {
		add(NotReady, c.LastTransitionTime.Time)
	}
	isReady := len(list) == 0
	for _, t := range []corev1.NodeConditionType{corev1.NodeDiskPressure, corev1.NodeNetworkUnavailable} {
		c := findCondition(node, t)
		if c != nil && (c.Status == corev1.ConditionTrue || isReady && c.Status == corev1.ConditionUnknown) {
			add(UnavailableReason(t), c.LastTransitionTime.Time)
		}
	}
	hasLost := func(name string) bool { return node.Annotations[name] == "" }
	if current := hasLost(nodemeta.CurrentConfig); current && !hasLost(nodemeta.State) && !hasLost(nodemeta.DesiredConfig) ||
		!current && (hasLost(nodemeta.DesiredConfig) || hasLost(nodemeta.State)) {
		add(AnnotationsMissing, time.Time{})
	}
	if node.Spec.Unschedulable {
		add(Cordoned, cordonedSince(node))
	}
	return list
}

func findCondition(node *corev1.Node, t corev1.NodeConditionType) *corev1.NodeCondition {
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == t })
	if i < 0 {
		return nil
	}
	return &node.Status.Conditions[i]
}

// cordonedSince returns the time when the node controller of Kubernetes added the taint of a cordon,
// or zero.
func cordonedSince(node *corev1.Node) time.Time {
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeUnschedulable && taint.TimeAdded != nil {
			return taint.TimeAdded.Time
		}
	}
	return time.Time{}
}
