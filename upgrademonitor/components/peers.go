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
// Deployment. Pass the result to Reporter.SetPeerConditions. Deployment is a pure function:
//
//  1. c is Operator or Controller. For any other component, the result is empty.
//  2. Available is Unknown if d is nil, or if the condition Available of d is Unknown or missing.
//  3. now becomes the lastTransitionTime.
func Deployment(c Component, d *appsv1.Deployment, now time.Time) []metav1.Condition {
	if c != Operator && c != Controller {
		return nil
	}
	if d == nil {
		d = &appsv1.Deployment{}
	}
	available := condition(metav1.ConditionUnknown, noData, "The status of the Deployment is not known")
	for _, s := range d.Status.Conditions {
		if s.Type != appsv1.DeploymentAvailable {
			continue
		}
		switch s.Status {
		case corev1.ConditionTrue:
			available = condition(metav1.ConditionTrue, asExpected, "")
		case corev1.ConditionFalse:
			message := "Deployment " + d.Name + " is not available: " + s.Message
			available = condition(metav1.ConditionFalse, "DeploymentUnavailable", message)
		}
	}
	available.Type = TypeOf(c, Available)
	available.LastTransitionTime = seconds(now)
	return []metav1.Condition{available}
}

// Daemons returns the conditions of the daemons, read from their DaemonSet and from all
// MachineConfigNodes. The operator passes the result to Reporter.SetPeerConditions. Daemons is a
// pure function:
//
//  1. Degraded is True if any MachineConfigNode has NodeDegraded=True. Degraded is Unknown if there
//     are no MachineConfigNodes.
//  2. Available is False if the number of unavailable daemons exceeds the number of nodes in an
//     update, because a node in an update may reboot. Available is Unknown if ds is nil, or if the
//     DaemonSet controller has not observed ds yet.
//  3. Progressing is True while the DaemonSet is being updated. If it stays True for an hour, the
//     Reporter sets Degraded to True. If ds is nil, the result has no Progressing, and the Reporter
//     keeps the previous condition.
//  4. now becomes the lastTransitionTime. The order of the objects does not matter.
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
	ofDaemons := func(a Aspect, c metav1.Condition) metav1.Condition {
		c.Type = TypeOf(Daemon, a)
		c.LastTransitionTime = seconds(now)
		return c
	}
	list := []metav1.Condition{
		ofDaemons(Degraded, daemonsDegraded(degraded, len(mcns))),
		ofDaemons(Available, daemonsAvailable(ds, inUpdate)),
	}
	if ds != nil {
		list = append(list, ofDaemons(Progressing, daemonsProgressing(ds)))
	}
	return list
}

// daemonsDegraded returns the condition Degraded of the daemons. names has the degraded nodes, and
// total is the number of all nodes.
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
	return condition(metav1.ConditionTrue, string(daemonSync)+failedSuffix, message)
}

// daemonsAvailable returns the condition Available of the daemons. inUpdate is the number of nodes in
// an update.
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
