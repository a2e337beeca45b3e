package pool

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of the conditions. Package poolwords has the reasons of a layered pool that waits for
// its image. A reason starts with "Paused" only if the pool is paused: see isPaused.
const (
	reasonAsExpected          = "AsExpected"
	reasonAllNodesUpdated     = "AllNodesUpdated"
	reasonNodesNotUpdated     = "NodesNotUpdated"
	reasonNodesUnavailable    = "NodesUnavailable"
	reasonNodesUpdating       = "NodesUpdating"
	reasonNoConfiguration     = "NoConfiguration"
	reasonDegraded            = "Degraded"
	reasonPaused              = "Paused"
	reasonPausedWhileUpdating = "PausedWhileUpdating"
	reasonNodesDegraded       = "%d nodes are reporting degraded status on sync"
)

// finding has the computed status, reason and message of a condition.
type finding struct {
	isTrue          bool
	reason, message string
}

type conditionType = mcfgv1.MachineConfigPoolConditionType

// setCondition sets a condition in the list, removes duplicates of the condition, and returns the
// list. It may modify the passed list.
func setCondition(list conditionList, name conditionType, f finding, now metav1.Time) conditionList {
	next := mcfgv1.MachineConfigPoolCondition{
		Type:               name,
		Status:             corev1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             f.reason,
		Message:            f.message,
	}
	if f.isTrue {
		next.Status = corev1.ConditionTrue
	}
	isSame := func(c mcfgv1.MachineConfigPoolCondition) bool { return c.Type == name }
	at := slices.IndexFunc(list, isSame)
	if at < 0 {
		return append(list, next)
	}
	if list[at].Status == next.Status {
		next.LastTransitionTime = list[at].LastTransitionTime
	}
	list[at] = next
	rest := slices.DeleteFunc(list[at+1:], isSame)
	return list[:at+1+len(rest)]
}

// get returns a condition, or the zero value.
func get(list conditionList, name conditionType) mcfgv1.MachineConfigPoolCondition {
	for _, c := range list {
		if c.Type == name {
			return c
		}
	}
	return mcfgv1.MachineConfigPoolCondition{}
}

func isTrue(list conditionList, name conditionType) bool {
	return get(list, name).Status == corev1.ConditionTrue
}
