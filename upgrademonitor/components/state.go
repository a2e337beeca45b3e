package components

import (
	"slices"
	"strings"
)

// State is a step that a component is in. States are the reasons of conditions, never their
// types: they change with each sync.
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

// The states of the daemons. No process reports them: SyncMCDFailed is the reason of the daemons' Degraded, and
// the others are for readers of other sources.
const (
	MCDSync                       State = "SyncMCD" // the whole sync
	MCDSyncChangingStateAndReason State = "SyncMCDChangingStateAndReason"
	MCDSyncTriggeringUpdate       State = "SyncMCDTriggeringUpdate"
)

// The states outside of a sync.
const (
	MetricsSync          State = "SyncMetrics"
	BootstrapProgression State = "BootstrapProgression"
	Errored              State = "Errored" // failed in a step without a state of its own
)

var statesByComponent = map[Component][]State{
	Operator: {
		OperatorSync, OperatorSyncOSImageStream, OperatorSyncRenderConfig, OperatorSyncCustomResourceDefinitions,
		OperatorSyncConfigMaps, OperatorSyncMachineConfiguration, OperatorSyncMCN, OperatorSyncMCP, OperatorSyncMCD,
		OperatorSyncMCC, OperatorSyncMCS, OperatorSyncMOB, OperatorSyncMCPRequired, OperatorSyncKubeletConfig,
		MetricsSync, Errored,
	},
	Controller: {
		MCCSync, MCCSyncMachineConfigPool, MCCSyncRenderedMachineConfigs, MCCSyncGeneratedKubeletConfigs,
		MCCSyncControllerConfig, MCCSyncContainerRuntimeConfig, MetricsSync, Errored,
	},
	Daemon:    {MCDSync, MCDSyncChangingStateAndReason, MCDSyncTriggeringUpdate, MetricsSync, Errored},
	Bootstrap: {BootstrapProgression},
}

// syncs are the states that have steps.
var syncs = []State{OperatorSync, MCCSync, MCDSync}

// States returns the states that a component can be in, a sync before its steps; nil for an unknown
// component. MetricsSync and Errored are states of each.
func States(c Component) []State { return slices.Clone(statesByComponent[c]) }

// ParentOf returns the sync that a state is a step of, false if it is not a step.
func ParentOf(s State) (State, bool) {
	for _, sync := range syncs {
		if s != sync && strings.HasPrefix(string(s), string(sync)) && isState(s) {
			return sync, true
		}
	}
	return "", false
}

// isSync reports whether a state has steps.
func isSync(s State) bool { return slices.Contains(syncs, s) }

func isState(s State) bool {
	for _, states := range statesByComponent {
		if slices.Contains(states, s) {
			return true
		}
	}
	return false
}

const failedSuffix = "Failed"

// failedReason is the reason of Degraded=True.
func failedReason(s State) string { return string(s) + failedSuffix }

// stateOf returns the state of a reason of Degraded=True, Errored for any other reason.
func stateOf(reason string) State {
	if s := State(strings.TrimSuffix(reason, failedSuffix)); isState(s) {
		return s
	}
	return Errored
}
