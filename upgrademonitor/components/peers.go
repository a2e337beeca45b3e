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

// maxNodes is the maximum number of nodes that a message names, so that the size of a message does not
// grow with the cluster.
const maxNodes = 10

// Deployment returns the condition Available of the operator or the controller, read from its
// Deployment, for Reporter.SetPeerConditions. Available is Unknown if d is nil, or if the condition
// Available of d is Unknown or missing. now becomes the lastTransitionTime. Deployment is a pure function.
func Deployment(c Component, d *appsv1.Deployment, now time.Time) []metav1.Condition {
	available := condition(metav1.ConditionUnknown, noData, "The status of the Deployment is not known")
	if d == nil {
		d = &appsv1.Deployment{}
	}
	for _, s := range d.Status.Conditions {
		switch {
		case s.Type != appsv1.DeploymentAvailable:
		case s.Status == corev1.ConditionTrue:
			available = condition(metav1.ConditionTrue, asExpected, "")
		case s.Status == corev1.ConditionFalse:
			message := "Deployment " + d.Name + " is not available: " + s.Message
			available = condition(metav1.ConditionFalse, "DeploymentUnavailable", message)
		}
	}
	return []metav1.Condition{typed(c, Available, available, now)}
}

// typed sets the type and the lastTransitionTime of a component's condition.
func typed(of Component, a Aspect, c metav1.Condition, now time.Time) metav1.Condition {
	c.Type, c.LastTransitionTime = TypeOf(of, a), metav1.NewTime(now).Rfc3339Copy()
	return c
}

// Daemons returns the conditions of the daemons, read from their DaemonSet and from all
// MachineConfigNodes in any order, for the operator's Reporter.SetPeerConditions. now becomes the
// lastTransitionTime. Daemons is a pure function:
//
//  1. Degraded is True if any MachineConfigNode has NodeDegraded=True. Degraded is Unknown if there
//     are no MachineConfigNodes.
//  2. Available is False if the number of unavailable daemons exceeds the number of nodes in an
//     update, because a node in an update may reboot. Available is Unknown if ds is nil, or if the
//     DaemonSet controller has not observed ds yet.
//  3. Progressing is True while the DaemonSet is being updated. If it stays True for an hour, the
//     Reporter sets Degraded to True. If ds is nil, the result has no Progressing, and the Reporter
//     keeps the previous condition.
func Daemons(ds *appsv1.DaemonSet, mcns []*mcfgv1.MachineConfigNode, now time.Time) []metav1.Condition {
	var degraded []string
	inUpdate := 0
	for _, mcn := range mcns {
		n := progress.Of(nil, mcn)
		if n.Degraded {
			degraded = append(degraded, n.Name)
		}
		if n.InUpdate() {
			inUpdate++
		}
	}
	list := []metav1.Condition{
		typed(Daemon, Degraded, daemonsDegraded(degraded, len(mcns)), now),
		typed(Daemon, Available, daemonsAvailable(ds, inUpdate), now),
	}
	if ds != nil {
		list = append(list, typed(Daemon, Progressing, daemonsProgressing(ds), now))
	}
	return list
}

// daemonsDegraded returns the condition Degraded. names has the degraded nodes, and total counts all.
func daemonsDegraded(names []string, total int) metav1.Condition {
	switch {
	case total == 0:
		return condition(metav1.ConditionUnknown, noData, "There is no MachineConfigNode")
	case len(names) == 0:
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	slices.Sort(names)
	first := strings.Join(names[:min(len(names), maxNodes)], ", ")
	message := fmt.Sprintf("Degraded nodes (%d): %s. See oc get machineconfignodes", len(names), first)
	return condition(metav1.ConditionTrue, "SyncMCDFailed", message)
}

// daemonsAvailable returns the condition Available. inUpdate is the number of nodes in an update.
func daemonsAvailable(ds *appsv1.DaemonSet, inUpdate int) metav1.Condition {
	switch {
	case ds == nil || ds.Status.ObservedGeneration == 0 && ds.Status.DesiredNumberScheduled == 0:
		return condition(metav1.ConditionUnknown, noData, "The status of the DaemonSet is not known")
	case int(ds.Status.NumberUnavailable) > inUpdate:
		message := "Daemons are missing on nodes that are not in an update: see the pods of DaemonSet " + ds.Name
		return condition(metav1.ConditionFalse, "DaemonSetUnavailable", message)
	}
	return condition(metav1.ConditionTrue, asExpected, "")
}

func daemonsProgressing(ds *appsv1.DaemonSet) metav1.Condition {
	isObserved := ds.Status.ObservedGeneration >= ds.Generation
	if isObserved && ds.Status.UpdatedNumberScheduled >= ds.Status.DesiredNumberScheduled {
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	return condition(metav1.ConditionTrue, "RollingOut", "DaemonSet "+ds.Name+" is being rolled out")
}
