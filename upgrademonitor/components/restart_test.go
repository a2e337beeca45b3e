package components_test

import (
	"strings"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
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

// TestARestartCleansTheMessages that others have replaced by huge ones of many lines.
func TestARestartCleansTheMessages(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		p.stop()
		m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			for i := range mc.Status.Conditions {
				mc.Status.Conditions[i].Message = "a\nb\x1b " + strings.Repeat("<\n", 15000)
			}
			return mc
		})
		before := m.writes()
		p = m.start(t, components.Operator)
		pass(time.Minute)
		require.NoError(t, p.Judge(components.Daemon, condition(daemonAvailable, no)))
		pass(time.Minute)
		requests := m.requestsSince(before)
		require.Len(t, requests, 1)
		assert.Less(t, len(requests[0]), 8<<10)
		for _, c := range m.conditions() {
			assert.LessOrEqual(t, len(c.Message), 1<<10, c.Type)
			assert.NotContains(t, c.Message, "\n", c.Type)
		}
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status, "it is still taken over")
		assert.Contains(t, m.condition(t, operatorDegraded).Message, "a b < <")
	})
}
