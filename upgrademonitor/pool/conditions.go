package pool

import (
	"cmp"
	"fmt"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of the conditions.
const (
	reasonAsExpected            = "AsExpected"
	reasonAllNodesUpdated       = "AllNodesUpdated"
	reasonNodesNotUpdated       = "NodesNotUpdated"
	reasonNodesNotReported      = "NodesNotReported"
	reasonNodesUpdating         = "NodesUpdating"
	reasonPaused                = "Paused"
	reasonPausedWhileUpdating   = "PausedWhileUpdating"
	reasonNodesDegraded         = "%d nodes are reporting degraded status on sync"
	reasonPinnedImageSetsFailed = "PinnedImageSetsFailed"
)

type conditionType = mcfgv1.MachineConfigPoolConditionType

// degrading are the conditions that make a pool Degraded. Others write all but the first two.
var degrading = []conditionType{
	mcfgv1.MachineConfigPoolNodeDegraded,
	mcfgv1.MachineConfigPoolPinnedImageSetsDegraded,
	mcfgv1.MachineConfigPoolRenderDegraded,
	mcfgv1.MachineConfigPoolImageBuildDegraded,
	mcfgv1.MachineConfigPoolSynchronizerDegraded,
}

// finding is a condition without its type and time.
type finding struct {
	isTrue          bool
	reason, message string
}

// withConditions returns the list with the conditions of this package. It may change the list.
func withConditions(list []mcfgv1.MachineConfigPoolCondition, c *count, pinsDegrade bool, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	list = setCondition(list, mcfgv1.MachineConfigPoolUpdated, isUpdated(c), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolUpdating, isUpdating(c), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolNodeDegraded,
		haveFailed(c.degraded, fmt.Sprintf(reasonNodesDegraded, len(c.degraded)), "No node is degraded"), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded,
		haveFailed(c.pinFailed, reasonPinnedImageSetsFailed, "No node is unable to pin images"), now)
	return setCondition(list, mcfgv1.MachineConfigPoolDegraded, isDegraded(list, pinsDegrade), now)
}

// isUpdated is whether all nodes have the target, and how many do.
func isUpdated(c *count) finding {
	if c.isUpdated() {
		return finding{true, reasonAllNodesUpdated, c.updatedMessage()}
	}
	return finding{false, cmp.Or(c.target.missing(), reasonNodesNotUpdated), c.updatedMessage()}
}

// isUpdating is which nodes are being updated, or why none is.
func isUpdating(c *count) finding {
	missing := c.target.missing()
	switch {
	case c.paused && len(c.updating) > 0:
		return finding{true, reasonPausedWhileUpdating, c.updatingMessage(willNot)}
	case len(c.updating) > 0:
		return finding{true, reasonNodesUpdating, c.updatingMessage(allUpdating)}
	case missing == reasonImageBuildFailed || missing == reasonNoConfiguration:
		return finding{false, missing, c.updatedMessage()}
	case c.paused && !c.isUpdated():
		return finding{false, reasonPaused, c.updatingMessage(willNot)}
	case missing != "":
		return finding{true, missing, c.updatingMessage(allUpdating)}
	case c.isWaiting():
		return finding{true, reasonNodesUpdating, c.updatingMessage(allUpdating)}
	case c.isUpdated():
		return finding{false, reasonAllNodesUpdated, c.updatedMessage()}
	default:
		return finding{false, reasonNodesNotReported, c.updatedMessage()}
	}
}

// haveFailed is whether a node has failed, and why.
func haveFailed(failures []failure, reason, none string) finding {
	if len(failures) == 0 {
		return finding{false, reasonAsExpected, none}
	}
	return finding{true, reason, failureMessage(failures)}
}

// isDegraded sums up the conditions that make a pool Degraded, with their causes.
func isDegraded(list []mcfgv1.MachineConfigPoolCondition, pinsDegrade bool) finding {
	var causes []mcfgv1.MachineConfigPoolCondition
	for _, cause := range degrading {
		isCause := func(c mcfgv1.MachineConfigPoolCondition) bool {
			return c.Type == cause && c.Status == corev1.ConditionTrue
		}
		at := slices.IndexFunc(list, isCause)
		if at >= 0 && (pinsDegrade || cause != mcfgv1.MachineConfigPoolPinnedImageSetsDegraded) {
			causes = append(causes, list[at])
		}
	}
	if len(causes) == 0 {
		return finding{false, reasonAsExpected, "Nothing is degraded"}
	}
	return finding{true, string(causes[0].Type), causesMessage(causes)}
}

// setCondition sets a condition of the list, and removes duplicates of it. It may change the list.
func setCondition(list []mcfgv1.MachineConfigPoolCondition, conditionType conditionType, f finding, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	next := mcfgv1.MachineConfigPoolCondition{
		Type:               conditionType,
		Status:             corev1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             f.reason,
		Message:            f.message,
	}
	if f.isTrue {
		next.Status = corev1.ConditionTrue
	}
	isType := func(c mcfgv1.MachineConfigPoolCondition) bool { return c.Type == conditionType }
	at := slices.IndexFunc(list, isType)
	if at < 0 {
		return append(list, next)
	}
	if list[at].Status == next.Status {
		next.LastTransitionTime = list[at].LastTransitionTime
	}
	list[at] = next
	rest := slices.DeleteFunc(list[at+1:], isType)
	return list[:at+1+len(rest)]
}
