package components_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// proposed are the states as the enhancement proposal spells them, with their parents.
var proposed = map[components.State]components.State{
	"OperatorSync":                          "",
	"OperatorSyncRenderConfig":              "OperatorSync",
	"OperatorSyncCustomResourceDefinitions": "OperatorSync",
	"OperatorSyncConfigmaps":                "OperatorSync",
	"OperatorSyncMCP":                       "OperatorSync",
	"OperatorSyncMCD":                       "OperatorSync",
	"OperatorSyncMCC":                       "OperatorSync",
	"OperatorSyncMCS":                       "OperatorSync",
	"OperatorSyncMCPRequired":               "OperatorSync",
	"OperatorSyncKubeletConfig":             "OperatorSync",
	"SyncMCC":                               "",
	"SyncMCCMachineConfigPool":              "SyncMCC",
	"SyncMCCRenderedMachineConfigs":         "SyncMCC",
	"SyncMCCGeneratedKubeletConfigs":        "SyncMCC",
	"SyncMCCControllerConfig":               "SyncMCC",
	"SyncMCCContainerRuntimeConfig":         "SyncMCC",
	"SyncMCD":                               "",
	"SyncMCDChangingStateAndReason":         "SyncMCD",
	"SyncMCDTriggeringUpdate":               "SyncMCD",
	"SyncMetrics":                           "",
	"BootstrapProgression":                  "",
	"Errored":                               "",
}

// added are steps of the operator without a state in the proposal.
var added = []components.State{"OperatorSyncOSImageStream", "OperatorSyncMachineConfiguration", "OperatorSyncMCN", "OperatorSyncMOB"}

func TestStates(t *testing.T) {
	all := map[components.State]bool{}
	for _, c := range []components.Component{components.Operator, components.Controller, components.Daemon, components.Bootstrap} {
		seen := map[components.State]bool{}
		for _, s := range components.States(c) {
			parent, ok := components.ParentOf(s)
			assert.Equal(t, parent != "", ok)
			assert.True(t, !ok || seen[parent], "%s comes after its parent", s)
			assert.False(t, seen[s], "%s is there once", s)
			seen[s], all[s] = true, true
		}
	}
	assert.Len(t, all, 22+len(added))
	assert.Len(t, proposed, 22)
	for s, want := range proposed {
		assert.True(t, all[s], "%s", s)
		parent, _ := components.ParentOf(s)
		assert.Equal(t, want, parent, "%s", s)
	}
	for _, s := range added {
		assert.True(t, all[s], "%s", s)
		parent, _ := components.ParentOf(s)
		assert.Equal(t, components.OperatorSync, parent, "%s", s)
	}
}

func TestUnknownStates(t *testing.T) {
	assert.Empty(t, components.States("MachineConfigServer"))
	for _, s := range []components.State{"", "OperatorSyncEverything", "Updated"} {
		_, ok := components.ParentOf(s)
		assert.False(t, ok, "%q", s)
	}
	components.States(components.Operator)[0] = "changed"
	assert.Equal(t, components.OperatorSync, components.States(components.Operator)[0], "the list is a copy")
}

func TestTypes(t *testing.T) {
	for component, want := range map[components.Component][3]string{
		components.Operator:   {"MachineConfigOperatorAvailable", "MachineConfigOperatorProgressing", "MachineConfigOperatorDegraded"},
		components.Controller: {"MachineConfigControllerAvailable", "MachineConfigControllerProgressing", "MachineConfigControllerDegraded"},
		components.Daemon:     {"MachineConfigDaemonAvailable", "MachineConfigDaemonProgressing", "MachineConfigDaemonDegraded"},
		components.Bootstrap:  {"", "MachineConfigBootstrapProgressing", ""},
		"MachineConfigServer": {},
	} {
		for i, aspect := range []components.Aspect{components.Available, components.Progressing, components.Degraded} {
			assert.Equal(t, want[i], components.TypeOf(component, aspect))
		}
	}
	assert.Empty(t, components.TypeOf(components.Operator, "Upgradeable"))
}
