package components

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Component is a part of the machine-config-operator that has conditions on
// MachineConfiguration/cluster.
type Component string

// The components. A condition type is the name of a component, followed by an Aspect.
const (
	Operator   Component = "MachineConfigOperator"
	Controller Component = "MachineConfigController"
	Daemon     Component = "MachineConfigDaemon" // all daemons together
	Bootstrap  Component = "MachineConfigBootstrap"
)

// Aspect is the second part of a condition type: the property that the condition describes.
type Aspect string

// The aspects.
const (
	Available   Aspect = "Available"
	Progressing Aspect = "Progressing"
	Degraded    Aspect = "Degraded"
)

// conditionType is the type of a condition, with the process that writes the condition.
type conditionType struct {
	component Component
	aspect    Aspect
	writer    Component
}

func (t conditionType) name() string { return string(t.component) + string(t.aspect) }

// conditionTypes has all types, in the order in which a process computes its conditions.
var conditionTypes = []conditionType{
	{Operator, Degraded, Operator},
	{Operator, Progressing, Operator},
	{Operator, Available, Controller},
	{Controller, Degraded, Controller},
	{Controller, Progressing, Controller},
	{Controller, Available, Operator},
	{Daemon, Progressing, Operator}, // must precede Degraded, which depends on Progressing
	{Daemon, Degraded, Operator},
	{Daemon, Available, Operator},
	{Bootstrap, Progressing, Operator},
}

// TypeOf returns the type of a component's condition, for example MachineConfigOperatorDegraded, or "" if
// the component does not have the condition. Bootstrap has only Progressing.
func TypeOf(c Component, a Aspect) string {
	for _, t := range conditionTypes {
		if t.component == c && t.aspect == a {
			return t.name()
		}
	}
	return ""
}

// find returns a condition of a component, or the zero value.
func find(list []metav1.Condition, c Component, a Aspect) metav1.Condition {
	if found := meta.FindStatusCondition(list, TypeOf(c, a)); found != nil && found.Type != "" {
		return *found
	}
	return metav1.Condition{}
}

// State is the name of a step of a component's work, for example the sync of the daemons. While a step
// runs for a long time or fails, the reason of a condition has its State.
type State string

// The states of the operator.
const (
	OperatorSync                          State = "OperatorSync" // a whole sync of the operator
	OperatorSyncOSImageStream             State = "OperatorSyncOSImageStream"
	OperatorSyncRenderConfig              State = "OperatorSyncRenderConfig"
	OperatorSyncCustomResourceDefinitions State = "OperatorSyncCustomResourceDefinitions"
	OperatorSyncConfigMaps                State = "OperatorSyncConfigmaps"
	OperatorSyncMachineConfiguration      State = "OperatorSyncMachineConfiguration"
	OperatorSyncMCN                       State = "OperatorSyncMCN" // MachineConfigNodes
	OperatorSyncMCP                       State = "OperatorSyncMCP" // MachineConfigPools
	OperatorSyncMCD                       State = "OperatorSyncMCD" // the daemons
	OperatorSyncMCC                       State = "OperatorSyncMCC" // the controller
	OperatorSyncMCS                       State = "OperatorSyncMCS" // the server
	OperatorSyncMOB                       State = "OperatorSyncMOB" // the OS builder
	OperatorSyncMCPRequired               State = "OperatorSyncMCPRequired"
	OperatorSyncKubeletConfig             State = "OperatorSyncKubeletConfig"
	BootstrapProgression                  State = "BootstrapProgression"
)

// The states of the controller.
const (
	MCCSync                        State = "SyncMCC" // a whole sync of the controller
	MCCSyncMachineConfigPool       State = "SyncMCCMachineConfigPool"
	MCCSyncRenderedMachineConfigs  State = "SyncMCCRenderedMachineConfigs"
	MCCSyncGeneratedKubeletConfigs State = "SyncMCCGeneratedKubeletConfigs"
	MCCSyncControllerConfig        State = "SyncMCCControllerConfig"
	MCCSyncContainerRuntimeConfig  State = "SyncMCCContainerRuntimeConfig"
)

// The states of both the operator and the controller.
const (
	MetricsSync State = "SyncMetrics"
	Errored     State = "Errored" // a step that has no State of its own
)

// daemonSync is the State in the reason of MachineConfigDaemonDegraded. No process passes it to Begin.
const daemonSync State = "SyncMCD"

var statesOf = map[Component][]State{
	Operator: {
		OperatorSync, OperatorSyncOSImageStream, OperatorSyncRenderConfig, OperatorSyncCustomResourceDefinitions,
		OperatorSyncConfigMaps, OperatorSyncMachineConfiguration, OperatorSyncMCN, OperatorSyncMCP, OperatorSyncMCD,
		OperatorSyncMCC, OperatorSyncMCS, OperatorSyncMOB, OperatorSyncMCPRequired, OperatorSyncKubeletConfig,
		BootstrapProgression, MetricsSync, Errored,
	},
	Controller: {
		MCCSync, MCCSyncMachineConfigPool, MCCSyncRenderedMachineConfigs, MCCSyncGeneratedKubeletConfigs,
		MCCSyncControllerConfig, MCCSyncContainerRuntimeConfig, MetricsSync, Errored,
	},
	Daemon: {daemonSync},
}

// The reason of Degraded=True is a State with one of these suffixes, or RolloutStuck of the daemons.
const (
	failedSuffix = "Failed"
	stuckSuffix  = "Stuck"
)

// stateOf returns the State in a reason, or Errored if the reason contains no known State.
func stateOf(reason string) State {
	s := State(strings.TrimSuffix(strings.TrimSuffix(reason, failedSuffix), stuckSuffix))
	for _, states := range statesOf {
		if slices.Contains(states, s) {
			return s
		}
	}
	return Errored
}

// syncs has the State for a whole sync of each process, with which the states of its steps begin.
var syncs = map[Component]State{Operator: OperatorSync, Controller: MCCSync}
