package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxNodes is how many nodes a message names, so that its size does not grow with the cluster.
const maxNodes = 10

// Daemons returns the conditions of the daemons, for SetPeerConditions of the operator, from their DaemonSet and
// the MachineConfigNodes that they report:
//
//   - Degraded is True while a node's MachineConfigNode is NodeDegraded, Unknown without any object.
//     Its message names at most ten nodes, sorted.
//   - Available is False while more daemons are unavailable than there are nodes in an update, which
//     may be rebooting; Unknown without a DaemonSet that its controller has observed.
//   - Progressing is True while the DaemonSet is being rolled out. Without a DaemonSet the condition is
//     omitted, and stays as it is published.
//
// now is the lastTransitionTime of each. The order of the objects does not matter.
func Daemons(ds *appsv1.DaemonSet, mcns []*mcfgv1.MachineConfigNode, now time.Time) []metav1.Condition {
	degraded, updating := map[string]string{}, int32(0) // messages by node
	for _, mcn := range mcns {
		if mcn == nil {
			continue
		}
		if c := meta.FindStatusCondition(mcn.Status.Conditions, string(mcfgv1.MachineConfigNodeNodeDegraded)); c != nil && c.Status == metav1.ConditionTrue {
			degraded[mcn.Name] = c.Message
		}
		if meta.IsStatusConditionFalse(mcn.Status.Conditions, string(mcfgv1.MachineConfigNodeUpdated)) {
			updating++
		}
	}
	list := []metav1.Condition{daemonsDegraded(degraded, len(mcns)), daemonsAvailable(ds, updating)}
	if ds != nil {
		list = append(list, daemonsProgressing(ds))
	}
	for i := range list {
		list[i].LastTransitionTime = seconds(now)
		list[i].Message = oneLine(list[i].Message, maxMessage)
	}
	return list
}

func daemonsDegraded(degraded map[string]string, nodes int) metav1.Condition {
	c := metav1.Condition{Type: TypeOf(Daemon, Degraded), Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	switch {
	case nodes == 0:
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, reasonNoData, "No MachineConfigNode found"
	case len(degraded) > 0:
		c.Status, c.Reason = metav1.ConditionTrue, failedReason(MCDSync)
		names := slices.Sorted(maps.Keys(degraded))
		messages := make([]string, min(len(names), maxNodes))
		for i := range messages {
			messages[i] = names[i] + ": " + oneLine(degraded[names[i]], maxNodeMessage)
		}
		c.Message = fmt.Sprintf("Degraded nodes (%d): %s", len(names), strings.Join(messages, "; "))
	}
	return c
}

func daemonsAvailable(ds *appsv1.DaemonSet, updating int32) metav1.Condition {
	c := metav1.Condition{Type: TypeOf(Daemon, Available), Status: metav1.ConditionTrue, Reason: reasonAsExpected}
	switch {
	case ds == nil || ds.Status.ObservedGeneration == 0 && ds.Status.DesiredNumberScheduled == 0:
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, reasonNoData, "No DaemonSet found that its controller has observed"
	case ds.Status.NumberUnavailable > updating:
		c.Status, c.Reason = metav1.ConditionFalse, reasonDaemonSetUnavailable
		c.Message = "Daemons are unavailable on nodes that are not being updated, see the pods of DaemonSet " + ds.Name
	}
	return c
}

func daemonsProgressing(ds *appsv1.DaemonSet) metav1.Condition {
	c := metav1.Condition{Type: TypeOf(Daemon, Progressing), Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	if ds.Status.ObservedGeneration < ds.Generation || ds.Status.UpdatedNumberScheduled < ds.Status.DesiredNumberScheduled {
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, reasonRollingOut, "DaemonSet "+ds.Name+" is being rolled out"
	}
	return c
}
