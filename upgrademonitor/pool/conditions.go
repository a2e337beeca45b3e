package pool

import (
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type conditionType = mcfgv1.MachineConfigPoolConditionType

// degrading are the conditions that make a pool Degraded. Those after the first two are others'.
var degrading = []conditionType{
	mcfgv1.MachineConfigPoolNodeDegraded,
	mcfgv1.MachineConfigPoolPinnedImageSetsDegraded,
	mcfgv1.MachineConfigPoolRenderDegraded,
	mcfgv1.MachineConfigPoolImageBuildDegraded,
	mcfgv1.MachineConfigPoolSynchronizerDegraded,
}

// finding is what a condition says.
type finding struct {
	holds           bool
	reason, message string
}

// withConditions returns the list with the conditions of this package. It may change the list.
func withConditions(list []mcfgv1.MachineConfigPoolCondition, c *count, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	list = set(list, mcfgv1.MachineConfigPoolUpdated, updatedFinding(c), now)
	list = set(list, mcfgv1.MachineConfigPoolUpdating, updatingFinding(c), now)
	list = set(list, mcfgv1.MachineConfigPoolNodeDegraded, troubleFinding(c.degraded, "NodesDegraded", "degraded"), now)
	list = set(list, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, troubleFinding(c.unpinned, "PinnedImageSetsFailed", "unable to pin images"), now)
	return set(list, mcfgv1.MachineConfigPoolDegraded, degradedFinding(list), now)
}

// degradedFinding sums up the conditions that make a pool Degraded.
func degradedFinding(list []mcfgv1.MachineConfigPoolCondition) finding {
	var causes []string
	for _, cause := range degrading {
		if slices.ContainsFunc(list, func(c mcfgv1.MachineConfigPoolCondition) bool {
			return c.Type == cause && c.Status == corev1.ConditionTrue
		}) {
			causes = append(causes, string(cause))
		}
	}
	switch len(causes) {
	case 0:
		return finding{reason: asExpected, message: "Nothing is degraded"}
	case 1:
		return finding{holds: true, reason: causes[0], message: "The condition " + causes[0] + " is True"}
	default:
		return finding{holds: true, reason: causes[0], message: "The conditions " + strings.Join(causes, ", ") + " are True"}
	}
}

// set puts a finding into the list, once. It may change the list.
func set(list []mcfgv1.MachineConfigPoolCondition, as conditionType, found finding, now metav1.Time) []mcfgv1.MachineConfigPoolCondition {
	next := mcfgv1.MachineConfigPoolCondition{
		Type:               as,
		Status:             corev1.ConditionFalse,
		LastTransitionTime: now,
		Reason:             found.reason,
		Message:            found.message,
	}
	if found.holds {
		next.Status = corev1.ConditionTrue
	}
	at := slices.IndexFunc(list, func(c mcfgv1.MachineConfigPoolCondition) bool { return c.Type == as })
	if at < 0 {
		return append(list, next)
	}
	if list[at].Status == next.Status {
		next.LastTransitionTime = list[at].LastTransitionTime
	}
	list[at] = next
	rest := slices.DeleteFunc(list[at+1:], func(c mcfgv1.MachineConfigPoolCondition) bool { return c.Type == as })
	return list[:at+1+len(rest)]
}
