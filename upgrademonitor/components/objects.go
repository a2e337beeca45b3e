package components

import (
	"fmt"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// maxNodes is how many nodes a message names at most: its size must not grow with the cluster.
const maxNodes = 10

// Deployment returns the condition Available of the operator or the controller, read from its
// Deployment. The other process passes the condition to SetPeerConditions. It is Unknown if d is
// nil, or does not report whether it is available. For other components the list is empty. now is
// the lastTransitionTime.
func Deployment(c Component, d *appsv1.Deployment, now time.Time) []metav1.Condition {
	if c != Operator && c != Controller {
		return nil
	}
	if d == nil {
		d = &appsv1.Deployment{}
	}
	available := condition(metav1.ConditionUnknown, noData, "The status of the Deployment is not known")
	for _, s := range d.Status.Conditions {
		switch {
		case s.Type != appsv1.DeploymentAvailable:
		case s.Status == corev1.ConditionTrue:
			available = condition(metav1.ConditionTrue, asExpected, "")
		case s.Status == corev1.ConditionFalse:
			available = condition(metav1.ConditionFalse, "DeploymentUnavailable", "Deployment "+d.Name+" is not available: "+s.Message)
		}
	}
	available.Type, available.LastTransitionTime = TypeOf(c, Available), seconds(now)
	return []metav1.Condition{available}
}

// Daemons returns the conditions of the daemons, read from their DaemonSet and the
// MachineConfigNodes. The operator passes the conditions to SetPeerConditions:
//
//   - Degraded is True while a node is NodeDegraded, and Unknown if there are no
//     MachineConfigNodes.
//   - Available is False while more daemons are unavailable than nodes are in an update, because a
//     node may reboot during its update. It is Unknown if ds is nil, or if the DaemonSet controller
//     has not observed ds yet.
//   - Progressing is True while the DaemonSet is being rolled out. After an hour, the Reporter sets
//     Degraded to True. If ds is nil, Progressing is omitted, so it stays as it was.
//
// now is the lastTransitionTime. The order of the objects does not matter.
func Daemons(ds *appsv1.DaemonSet, mcns []*mcfgv1.MachineConfigNode, now time.Time) []metav1.Condition {
	list := []metav1.Condition{daemonsDegraded(mcns), daemonsAvailable(ds, mcns), daemonsProgressing(ds)}
	for i, a := range []Aspect{Degraded, Available, Progressing} {
		list[i].Type, list[i].LastTransitionTime = TypeOf(Daemon, a), seconds(now)
	}
	if ds == nil {
		return list[:2]
	}
	return list
}

func daemonsDegraded(mcns []*mcfgv1.MachineConfigNode) metav1.Condition {
	var names []string
	for _, mcn := range mcns {
		if mcn != nil && meta.IsStatusConditionTrue(mcn.Status.Conditions, string(mcfgv1.MachineConfigNodeNodeDegraded)) {
			names = append(names, mcn.Name)
		}
	}
	switch {
	case len(mcns) == 0:
		return condition(metav1.ConditionUnknown, noData, "There is no MachineConfigNode")
	case len(names) == 0:
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	slices.Sort(names)
	message := fmt.Sprintf("Degraded nodes (%d): %s. See oc get machineconfignodes", len(names), strings.Join(names[:min(len(names), maxNodes)], ", "))
	return condition(metav1.ConditionTrue, string(daemonSync)+failedSuffix, message)
}

func daemonsAvailable(ds *appsv1.DaemonSet, mcns []*mcfgv1.MachineConfigNode) metav1.Condition {
	switch {
	case ds == nil || ds.Status.ObservedGeneration == 0 && ds.Status.DesiredNumberScheduled == 0:
		return condition(metav1.ConditionUnknown, noData, "There is no DaemonSet that its controller has observed")
	case int(ds.Status.NumberUnavailable) > inUpdate(mcns):
		return condition(metav1.ConditionFalse, "DaemonSetUnavailable", "Daemons are missing on nodes that are not in an update: see the pods of DaemonSet "+ds.Name)
	}
	return condition(metav1.ConditionTrue, asExpected, "")
}

// inUpdate returns how many nodes are in an update, as package progress reads their objects.
func inUpdate(mcns []*mcfgv1.MachineConfigNode) (n int) {
	for _, mcn := range mcns {
		if progress.FromMachineConfigNode(mcn).InUpdate() {
			n++
		}
	}
	return n
}

func daemonsProgressing(ds *appsv1.DaemonSet) metav1.Condition {
	switch {
	case ds == nil:
		return metav1.Condition{}
	case ds.Status.ObservedGeneration < ds.Generation, ds.Status.UpdatedNumberScheduled < ds.Status.DesiredNumberScheduled:
		return condition(metav1.ConditionTrue, "RollingOut", "DaemonSet "+ds.Name+" is being rolled out")
	}
	return condition(metav1.ConditionFalse, asExpected, "")
}
