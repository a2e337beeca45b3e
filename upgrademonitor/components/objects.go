package components

import (
	"fmt"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// maxNodes is the maximum number of nodes that a message names. The size of a message must not grow
// with the cluster.
const maxNodes = 10

// Deployment returns the condition Available of the operator or the controller, read from its
// Deployment. The controller passes the operator's condition to SetPeerConditions, and the operator
// passes the controller's condition. Available is Unknown if d is nil, or if the condition
// Available of d is Unknown or missing. If c is neither Operator nor Controller, the result is
// empty. now becomes the lastTransitionTime.
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
// MachineConfigNodes. The operator passes the result to SetPeerConditions:
//
//   - Degraded is True if any MachineConfigNode has NodeDegraded=True. Degraded is Unknown if there
//     are no MachineConfigNodes.
//   - Available is False if the number of unavailable daemons exceeds the number of nodes in an
//     update. (A node in an update may reboot, so its daemon may be unavailable.) Available is
//     Unknown if ds is nil, or if the DaemonSet controller has not observed ds yet.
//   - Progressing is True while the DaemonSet is being rolled out. If a rollout takes an hour, the
//     Reporter sets Degraded to True. If ds is nil, the result has no Progressing, and the Reporter
//     keeps the previous condition.
//
// now becomes the lastTransitionTime. The order of the objects does not matter.
func Daemons(ds *appsv1.DaemonSet, mcns []*mcfgv1.MachineConfigNode, now time.Time) []metav1.Condition {
	var degraded []string
	inUpdate := 0
	for _, mcn := range mcns {
		n := progress.FromMachineConfigNode(mcn)
		if n.Degraded {
			degraded = append(degraded, n.Name)
		}
		if n.InUpdate() {
			inUpdate++
		}
	}
	list := []metav1.Condition{daemonsDegraded(degraded, len(mcns)), daemonsAvailable(ds, inUpdate), daemonsProgressing(ds)}
	for i, a := range []Aspect{Degraded, Available, Progressing} {
		list[i].Type, list[i].LastTransitionTime = TypeOf(Daemon, a), seconds(now)
	}
	if ds == nil {
		return list[:2]
	}
	return list
}

// daemonsDegraded names the degraded nodes. total is the number of nodes.
func daemonsDegraded(names []string, total int) metav1.Condition {
	switch {
	case total == 0:
		return condition(metav1.ConditionUnknown, noData, "There is no MachineConfigNode")
	case len(names) == 0:
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	slices.Sort(names)
	message := fmt.Sprintf("Degraded nodes (%d): %s. See oc get machineconfignodes", len(names), strings.Join(names[:min(len(names), maxNodes)], ", "))
	return condition(metav1.ConditionTrue, string(daemonSync)+failedSuffix, message)
}

// daemonsAvailable compares the unavailable daemons with the nodes in an update.
func daemonsAvailable(ds *appsv1.DaemonSet, inUpdate int) metav1.Condition {
	switch {
	case ds == nil || ds.Status.ObservedGeneration == 0 && ds.Status.DesiredNumberScheduled == 0:
		return condition(metav1.ConditionUnknown, noData, "The status of the DaemonSet is not known")
	case int(ds.Status.NumberUnavailable) > inUpdate:
		return condition(metav1.ConditionFalse, "DaemonSetUnavailable", "Daemons are missing on nodes that are not in an update: see the pods of DaemonSet "+ds.Name)
	}
	return condition(metav1.ConditionTrue, asExpected, "")
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
