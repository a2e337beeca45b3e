package pool

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of the conditions. Package poolwords has the reasons of a layered pool that waits for
// its image. Only the reasons of a paused pool start with Paused.
const (
	reasonAsExpected          = "AsExpected"
	reasonAllNodesUpdated     = "AllNodesUpdated"
	reasonNodesNotUpdated     = "NodesNotUpdated"
	reasonNodesNotReported    = "NodesNotReported"
	reasonNodesUnavailable    = "NodesUnavailable"
	reasonNodesUpdating       = "NodesUpdating"
	reasonNoConfiguration     = "NoConfiguration"
	reasonDegraded            = "Degraded"
	reasonPaused              = "Paused"
	reasonPausedWhileUpdating = "PausedWhileUpdating"
	reasonNodesDegraded       = "%d nodes are reporting degraded status on sync"
)

// finding is the status, reason and message of a condition.
type finding struct {
	isTrue          bool
	reason, message string
}

// setCondition sets a condition in the list, and removes duplicates. It may modify the list.
func setCondition(list []mcfgv1.MachineConfigPoolCondition, conditionType mcfgv1.MachineConfigPoolConditionType, f finding, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	next := mcfgv1.MachineConfigPoolCondition{Type: conditionType, Status: corev1.ConditionFalse, LastTransitionTime: now, Reason: f.reason, Message: f.message}
	if f.isTrue {
		next.Status = corev1.ConditionTrue
	}
	at := find(list, conditionType)
	if at < 0 {
		return append(list, next)
	}
	if list[at].Status == next.Status {
		next.LastTransitionTime = list[at].LastTransitionTime
	}
	list[at] = next
	isType := func(c mcfgv1.MachineConfigPoolCondition) bool { return c.Type == conditionType }
	rest := slices.DeleteFunc(list[at+1:], isType)
	return list[:at+1+len(rest)]
}

// find returns the index of a condition, or -1.
func find(list []mcfgv1.MachineConfigPoolCondition, conditionType mcfgv1.MachineConfigPoolConditionType) int {
	return slices.IndexFunc(list, func(c mcfgv1.MachineConfigPoolCondition) bool { return c.Type == conditionType })
}

func isTrue(list []mcfgv1.MachineConfigPoolCondition, conditionType mcfgv1.MachineConfigPoolConditionType) bool {
	at := find(list, conditionType)
	return at >= 0 && list[at].Status == corev1.ConditionTrue
}
