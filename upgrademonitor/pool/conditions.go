package pool

import (
	"cmp"
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
	reasonNodesDegraded         = "NodesDegraded"
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

// verdict is a condition without its type and time.
type verdict struct {
	isTrue          bool
	reason, message string
}

// withConditions returns the list with the conditions of this package. It may change the list.
func withConditions(list []mcfgv1.MachineConfigPoolCondition, c *count, pinsDegrade bool, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	list = setCondition(list, mcfgv1.MachineConfigPoolUpdated, updatedVerdict(c), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolUpdating, updatingVerdict(c), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolNodeDegraded, failureVerdict(c.degraded, reasonNodesDegraded, "degraded"), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, failureVerdict(c.pinFailed, reasonPinnedImageSetsFailed, "unable to pin images"), now)
	return setCondition(list, mcfgv1.MachineConfigPoolDegraded, degradedVerdict(list, pinsDegrade), now)
}

// updatedVerdict is whether all nodes have the target, and how many do.
func updatedVerdict(c *count) verdict {
	if c.isUpdated() {
		return verdict{true, reasonAllNodesUpdated, c.progress()}
	}
	return verdict{false, cmp.Or(c.target.missing(), reasonNodesNotUpdated), c.progress()}
}

// updatingVerdict is which nodes are being updated, or why none is.
func updatingVerdict(c *count) verdict {
	missing := c.target.missing()
	switch {
	case c.paused && len(c.updating) > 0:
		return verdict{true, reasonPausedWhileUpdating, "The pool is paused, but updates that have begun continue: " + updatingMessage(c.updating)}
	case len(c.updating) > 0:
		return verdict{true, reasonNodesUpdating, updatingMessage(c.updating)}
	case missing == reasonImageBuildFailed:
		return verdict{false, missing, c.progress()}
	case c.paused && !c.isUpdated():
		return verdict{false, reasonPaused, "The pool is paused. " + c.progress()}
	case missing != "":
		return verdict{missing == reasonImageBuilding, missing, c.progress()}
	case c.isWaiting():
		return verdict{true, reasonNodesUpdating, "No node is being updated right now. " + c.progress()}
	case c.isUpdated():
		return verdict{false, reasonAllNodesUpdated, c.progress()}
	default:
		return verdict{false, reasonNodesNotReported, c.progress()}
	}
}

// failureVerdict is whether a node has failed, and why.
func failureVerdict(failures []failure, reason, are string) verdict {
	if len(failures) == 0 {
		return verdict{false, reasonAsExpected, "No node is " + are}
	}
	return verdict{true, reason, failureMessage(failures, are)}
}

// degradedVerdict sums up the conditions that make a pool Degraded, with their causes.
func degradedVerdict(list []mcfgv1.MachineConfigPoolCondition, pinsDegrade bool) verdict {
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
		return verdict{false, reasonAsExpected, "Nothing is degraded"}
	}
	return verdict{true, string(causes[0].Type), causesMessage(causes)}
}

// setCondition sets a condition of the list, and removes duplicates of it. It may change the list.
func setCondition(list []mcfgv1.MachineConfigPoolCondition, conditionType conditionType, v verdict, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	next := mcfgv1.MachineConfigPoolCondition{
		Type:               conditionType,
		Status:             corev1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             v.reason,
		Message:            v.message,
	}
	if v.isTrue {
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
