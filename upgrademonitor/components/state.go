package components

import (
	"slices"
	"strings"
)

// State is a step of a component's work. A state is the reason of a condition. It has no condition
// of its own, because it changes with each sync.
type State string

// The states of the operator.
const (
	OperatorSync                          State = "OperatorSync" // the whole sync
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
	MCCSync                        State = "SyncMCC" // the whole sync
	MCCSyncMachineConfigPool       State = "SyncMCCMachineConfigPool"
	MCCSyncRenderedMachineConfigs  State = "SyncMCCRenderedMachineConfigs"
	MCCSyncGeneratedKubeletConfigs State = "SyncMCCGeneratedKubeletConfigs"
	MCCSyncControllerConfig        State = "SyncMCCControllerConfig"
	MCCSyncContainerRuntimeConfig  State = "SyncMCCContainerRuntimeConfig"
)

// The states of both processes.
const (
	MetricsSync State = "SyncMetrics"
	Errored     State = "Errored" // an error in a step that has no state
)

// daemonSync is the state in the reason of the daemons' Degraded. No process reports it as a step.
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

// The suffixes of states in the reasons of Degraded=True.
const (
	failedSuffix = "Failed"
	stuckSuffix  = "Stuck"
)

// stateOf returns the state in a reason, or Errored if the reason names no state.
func stateOf(reason string) State {
	s := State(strings.TrimSuffix(strings.TrimSuffix(reason, failedSuffix), stuckSuffix))
	for _, states := range statesOf {
		if slices.Contains(states, s) {
			return s
		}
	}
	return Errored
}

// syncs has the state of the whole sync of each process. The names of its steps start with its
// name.
var syncs = map[Component]State{Operator: OperatorSync, Controller: MCCSync}
