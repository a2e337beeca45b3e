package components_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestARestartKeepsTheKey has an operator start again while pool b fails.
func TestARestartKeepsTheKey(t *testing.T) {
	for name, tc := range map[string]struct {
		after func(p *process)
		want  metav1.ConditionStatus
	}{
		"another pool succeeds": {func(p *process) { p.Begin(components.OperatorSyncMCP, "a").End(nil) }, metav1.ConditionTrue},
		"another pool fails for a moment": {func(p *process) {
			p.Begin(components.OperatorSyncMCP, "a").End(errDaemons)
			pass(time.Second)
			p.Begin(components.OperatorSyncMCP, "a").End(nil)
		}, metav1.ConditionTrue},
		"another pool fails for a moment, now and then": {func(p *process) {
			for range 10 {
				p.Begin(components.OperatorSyncMCP, "a").End(errDaemons)
				pass(time.Minute)
				p.Begin(components.OperatorSyncMCP, "a").End(nil)
			}
		}, metav1.ConditionFalse},
		"it fails, then another pool succeeds": {func(p *process) {
			p.Begin(components.OperatorSyncMCP, "b").End(errDaemons)
			p.Begin(components.OperatorSyncMCP, "a").End(nil)
		}, metav1.ConditionTrue},
		"it succeeds":         {func(p *process) { p.Begin(components.OperatorSyncMCP, "b").End(nil) }, metav1.ConditionFalse},
		"a whole sync does":   {func(p *process) { p.Begin(components.OperatorSync, "").End(nil) }, metav1.ConditionFalse},
		"it is deleted":       {func(p *process) { p.Forget(components.OperatorSyncMCP, "b") }, metav1.ConditionFalse},
		"another is deleted":  {func(p *process) { p.Forget(components.OperatorSyncMCP, "a") }, metav1.ConditionTrue},
		"nothing is reported": {func(*process) { pass(10 * time.Minute) }, metav1.ConditionFalse},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				p.Begin(components.OperatorSyncMCP, "b").End(errDaemons)
				pass(time.Hour)
				require.Equal(t, "b: "+errDaemons.Error(), m.condition(t, operatorDegraded).Message)
				p.stop()
				p = m.start(t, components.Operator)
				tc.after(p)
				pass(time.Minute)
				degraded := m.condition(t, operatorDegraded)
				assert.Equal(t, tc.want, degraded.Status, degraded.Message)
				assert.Contains(t, degraded.Message, "b: "+errDaemons.Error())
			})
		})
	}
}
