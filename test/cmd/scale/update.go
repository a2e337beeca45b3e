package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// call is one report of a daemon. before and spec are events before the report.
type call struct {
	before          nodeEdit // the change of the Node, or "" if the Node does not change
	spec            bool     // the daemon calls GenerateAndApplyMachineConfigNodeSpec
	phase           phases.Phase
	status          metav1.ConditionStatus
	reason, message string
	completesParent bool
}

// nodeEdit is a merge patch of a Node. CONFIG is a placeholder for the config of the update.
type nodeEdit string

const (
	desire   nodeEdit = `{"metadata":{"annotations":{"machineconfiguration.openshift.io/desiredConfig":"CONFIG"}}}`
	cordon   nodeEdit = `{"spec":{"unschedulable":true}}`
	uncordon nodeEdit = `{"spec":{"unschedulable":false}}`
	done     nodeEdit = `{"metadata":{"annotations":{"machineconfiguration.openshift.io/currentConfig":"CONFIG"}}}`
)

// rebootUpdate has the reports of an update in standard mode with a drain and a reboot, and without
// failures. They were recorded on a cluster.
var rebootUpdate = []call{
	{before: desire, phase: phases.Updated, status: metav1.ConditionFalse, reason: "Updated",
		message: "Node needs an update"},
	{phase: phases.UpdatePrepared, status: metav1.ConditionTrue, reason: "UpdatePrepared",
		message: "Update Compatible. Post Cfg Actions: [] Drain Required: true"},
	{spec: true, before: cordon, phase: phases.Cordoned, status: metav1.ConditionTrue, reason: "UpdateExecutedCordoned",
		message: "Cordoned node. The node is reporting Unschedulable = true"},
	{phase: phases.Drained, status: metav1.ConditionUnknown, reason: "UpdateExecutedDrained",
		message: "Draining the node before the update"},
	{phase: phases.Drained, status: metav1.ConditionTrue, reason: "UpdateExecutedDrained",
		message: "Drained the node. All pods that had to go are gone"},
	{phase: phases.AppliedFilesAndOS, status: metav1.ConditionUnknown, reason: "UpdateExecutedAppliedFilesAndOS",
		message: "Applying files and new OS config to node. OS will need an update. SSH Keys will not need an update"},
	{phase: phases.AppliedFilesAndOS, status: metav1.ConditionTrue, reason: "UpdateExecutedAppliedFilesAndOS",
		message: "Applied files and new OS config to node", completesParent: true},
	{phase: phases.RebootedNode, status: metav1.ConditionUnknown, reason: "RebootedNode",
		message: "Node will reboot into its new config"},
	{phase: phases.RebootedNode, status: metav1.ConditionTrue, reason: "RebootedNode",
		message: "Node has rebooted"},
	{phase: phases.Resumed, status: metav1.ConditionTrue, reason: "Resumed",
		message: "In desired config. Resumed normal operations."},
	{before: uncordon, phase: phases.Uncordoned, status: metav1.ConditionTrue, reason: "UpdateCompleteUncordoned",
		message: "UnCordoned node. The node is reporting Unschedulable = false", completesParent: true},
	{before: done, phase: phases.Updated, status: metav1.ConditionTrue, reason: "Updated", message: "Node Updated"},
}
