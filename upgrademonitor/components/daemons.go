package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	appsv1 "k8s.io/api/apps/v1"
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
	list := []metav1.Condition{
		daemonDegraded(mcns),
		daemonAvailable(ds, updating(mcns)),
	}
	if ds != nil {
		list = append(list, daemonProgressing(ds))
	}
	for i := range list {
		list[i].LastTransitionTime = seconds(now)
	}
	return list
}

func daemonDegraded(mcns []*mcfgv1.MachineConfigNode) metav1.Condition {
	c := metav1.Condition{Type: TypeOf(Daemon, Degraded), Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	if len(mcns) == 0 {
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, reasonNoData, "No MachineConfigNode found"
		return c
	}
	messages := map[string]string{} // of the degraded nodes
	for _, mcn := range mcns {
		if mcn == nil {
			continue
		}
		if d := find(mcn.Status.Conditions, string(mcfgv1.MachineConfigNodeNodeDegraded)); d != nil && d.Status == metav1.ConditionTrue {
			messages[mcn.Name] = d.Message
		}
	}
	if len(messages) == 0 {
		return c
	}
	c.Status, c.Reason, c.Message = metav1.ConditionTrue, failedReason(MCDSync), degradedMessage(messages)
	return c
}

func degradedMessage(messages map[string]string) string {
	names := slices.Sorted(maps.Keys(messages))
	prefix := "1 node is degraded: "
	if len(names) > 1 {
		prefix = fmt.Sprintf("%d nodes are degraded: ", len(names))
	}
	nodes := make([]string, min(len(names), maxNodes))
	for i := range nodes {
		nodes[i] = names[i] + ": " + oneLine(messages[names[i]], maxNodeMessage)
	}
	suffix := ""
	if more := len(names) - len(nodes); more > 0 {
		suffix = fmt.Sprintf("; and %d more", more)
	}
	return oneLine(prefix+strings.Join(nodes, "; "), maxMessage-len(suffix)) + suffix
}

// updating counts the nodes that are in an update.
func updating(mcns []*mcfgv1.MachineConfigNode) int32 {
	var n int32
	for _, mcn := range mcns {
		if mcn == nil {
			continue
		}
		if u := find(mcn.Status.Conditions, string(mcfgv1.MachineConfigNodeUpdated)); u != nil && u.Status == metav1.ConditionFalse {
			n++
		}
	}
	return n
}

func daemonAvailable(ds *appsv1.DaemonSet, updating int32) metav1.Condition {
	c := metav1.Condition{Type: TypeOf(Daemon, Available), Status: metav1.ConditionTrue, Reason: reasonAsExpected}
	switch {
	case ds == nil || !isObserved(ds):
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, reasonNoData, "No DaemonSet found that its controller has observed"
	case ds.Status.NumberUnavailable > updating:
		c.Status, c.Reason = metav1.ConditionFalse, reasonDaemonSetUnavailable
		c.Message = oneLine("Daemons are unavailable on nodes that are not being updated, see the pods of DaemonSet "+ds.Name, maxMessage)
	}
	return c
}

// isObserved reports whether the controller of a DaemonSet has reported its status.
func isObserved(ds *appsv1.DaemonSet) bool {
	return ds.Status.ObservedGeneration > 0 || ds.Status.DesiredNumberScheduled > 0
}

func daemonProgressing(ds *appsv1.DaemonSet) metav1.Condition {
	c := metav1.Condition{Type: TypeOf(Daemon, Progressing), Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	if ds.Status.ObservedGeneration < ds.Generation || ds.Status.UpdatedNumberScheduled < ds.Status.DesiredNumberScheduled {
		c.Status, c.Reason = metav1.ConditionTrue, reasonRollingOut
		c.Message = oneLine("DaemonSet "+ds.Name+" is being rolled out", maxMessage)
	}
	return c
}
