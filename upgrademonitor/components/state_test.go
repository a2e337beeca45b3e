package components_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestStates: a process may report each of its states.
func TestStates(t *testing.T) {
	for component, states := range map[components.Component][]components.State{
		components.Operator: {
			"OperatorSync", "OperatorSyncOSImageStream", "OperatorSyncRenderConfig", "OperatorSyncCustomResourceDefinitions",
			"OperatorSyncConfigmaps", "OperatorSyncMachineConfiguration", "OperatorSyncMCN", "OperatorSyncMCP", "OperatorSyncMCD",
			"OperatorSyncMCC", "OperatorSyncMCS", "OperatorSyncMOB", "OperatorSyncMCPRequired", "OperatorSyncKubeletConfig",
			"BootstrapProgression", "SyncMetrics", "Errored",
		},
		components.Controller: {
			"SyncMCC", "SyncMCCMachineConfigPool", "SyncMCCRenderedMachineConfigs", "SyncMCCGeneratedKubeletConfigs",
			"SyncMCCControllerConfig", "SyncMCCContainerRuntimeConfig", "SyncMetrics", "Errored",
		},
	} {
		for _, state := range states {
			inBubble(t, func(t *testing.T, m *memory) {
				m.start(t.Context(), t, m.config(component)).Begin(state, "")(errDaemons)
				pass(5 * time.Minute)
				m.is(t, components.TypeOf(component, components.Degraded), yes, string(state)+"Failed")
				fault, _ := components.MostRecentError(m.conditions())
				assert.Equal(t, state, fault.State)
			})
		}
	}
}

// TestStateOfAnotherComponent: the step is ignored. Each such state is logged once.
func TestStateOfAnotherComponent(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		var log bytes.Buffer
		klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))))
		defer klog.ClearLogger()
		for range 3 {
			p.Begin(components.MCCSync, "")(errDaemons)
			p.Begin("Unknown\nState", "")(errDaemons)
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		assert.Len(t, lines, 2)
		assert.Contains(t, lines[0], `"Ignoring a step: pass a State of the component" component="MachineConfigOperator" state="SyncMCC"`)
		m.is(t, operatorDegraded, no, "AsExpected")
	})
}
