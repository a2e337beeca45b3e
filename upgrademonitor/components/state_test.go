package components_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

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
