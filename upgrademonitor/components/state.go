package components

import (
	"regexp"
	"strings"
)

// State is the name of a step of a component's work, for example the sync of the daemons. While a step
// runs for a long time or fails, the reason of a condition has its State. A State has letters and digits,
// and begins with a letter. A step may also have a name that is not in the lists below.
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

// The reason of Degraded=True is a State with one of these suffixes, or RolloutStuck of the daemons.
const (
	failedSuffix = "Failed"
	stuckSuffix  = "Stuck"
)

var validState = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,99}$`)

// stateOf returns the State in the reason of Degraded=True.
func stateOf(reason string) State {
	if s, ok := strings.CutSuffix(reason, failedSuffix); ok {
		return State(s)
	}
	return State(strings.TrimSuffix(reason, stuckSuffix))
}
