package pool

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// degrading lists the conditions that make a pool Degraded. The message of Degraded has their messages
// in this order.
var degrading = []mcfgv1.MachineConfigPoolConditionType{
	mcfgv1.MachineConfigPoolNodeDegraded,
	mcfgv1.MachineConfigPoolImageBuildDegraded,
	mcfgv1.MachineConfigPoolRenderDegraded,
}

type conditionList = []mcfgv1.MachineConfigPoolCondition

// withConditions sets the computed conditions in the list, and returns the list. It may modify the
// passed list.
func withConditions(list conditionList, c *count, now metav1.Time) conditionList {
	isDegraded := len(c.degraded) > 0 || isTrue(list, mcfgv1.MachineConfigPoolRenderDegraded)
	list = setCondition(list, mcfgv1.MachineConfigPoolUpdated, c.updatedCondition(), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolUpdating, c.updatingCondition(isDegraded), now)
	list = setCondition(list, mcfgv1.MachineConfigPoolNodeDegraded, c.nodeDegraded(), now)
	f, isCleared := c.image.cleared(isTrue(list, mcfgv1.MachineConfigPoolImageBuildDegraded))
	if isCleared {
		list = setCondition(list, mcfgv1.MachineConfigPoolImageBuildDegraded, f, now)
	}
	return setCondition(list, mcfgv1.MachineConfigPoolDegraded, degradedCondition(list), now)
}

// updatedCondition returns the condition Updated. If Updated is False, its reason says why.
func (c *count) updatedCondition() finding {
	f := finding{message: c.updatedMessage()}
	switch {
	case c.isUpdated():
		f.isTrue, f.reason = true, reasonAllNodesUpdated
	case !c.image.exists && c.image.build != mcfgv1.MachineOSBuildSucceeded:
		f.reason = c.image.waiting(false).reason
	case c.config == "":
		f.reason = reasonNoConfiguration
	case c.updated == c.total && c.image.exists:
		f.reason = reasonNodesUnavailable
	default:
		f.reason = reasonNodesNotUpdated
	}
	return f
}

// updatingCondition returns the condition Updating. isDegraded is true if a node is degraded, or if the
// MachineConfig of the pool cannot be rendered.
func (c *count) updatingCondition(isDegraded bool) finding {
	isActive := c.updating+c.waiting > 0
	if c.image.build != notLayered {
		switch {
		case c.paused:
			return c.image.waiting(true)
		case isDegraded:
			return finding{false, reasonDegraded, poolwords.Degraded}
		case isActive || !c.image.exists:
			return c.image.waiting(false)
		}
	}
	switch {
	case c.isUpdated():
		return finding{false, reasonAllNodesUpdated, c.updatedMessage()}
	case c.config == "" && c.updating == 0:
		return finding{false, reasonNoConfiguration, c.updatedMessage()}
	case c.paused && c.updating > 0:
		return finding{true, reasonPausedWhileUpdating, c.updatingMessage(poolwords.WillNot)}
	case c.paused:
		return finding{false, reasonPaused, c.updatingMessage(poolwords.WillNot)}
	case isActive:
		return finding{true, reasonNodesUpdating, c.updatingMessage(poolwords.AllUpdating)}
	case c.updated == c.total:
		return finding{false, reasonNodesUnavailable, c.updatedMessage()}
	default:
		return finding{false, reasonNodesNotUpdated, c.updatedMessage()}
	}
}

func (c *count) nodeDegraded() finding {
	if len(c.degraded) == 0 {
		return finding{false, reasonAsExpected, "No node is degraded"}
	}
	return finding{true, fmt.Sprintf(reasonNodesDegraded, len(c.degraded)), degradedMessage(c.degraded)}
}

// degradedCondition returns the condition Degraded. It is True if any condition in degrading is True.
func degradedCondition(list conditionList) finding {
	var causes conditionList
	for _, cause := range degrading {
		if c := get(list, cause); c.Status == corev1.ConditionTrue {
			causes = append(causes, c)
		}
	}
	if len(causes) == 0 {
		return finding{false, reasonAsExpected, "Nothing is degraded"}
	}
	return finding{true, string(causes[0].Type), causesMessage(causes)}
}
