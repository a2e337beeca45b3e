package components_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var (
	operatorDegraded    = typeOf(components.Operator, components.Degraded)
	operatorProgressing = typeOf(components.Operator, components.Progressing)
	bootstrap           = typeOf(components.Bootstrap, components.Progressing)
	daemonAvailable     = typeOf(components.Daemon, components.Available)
	errDaemons          = errors.New("timed out waiting for the daemons")
)

// inBubble runs a test on a server of its own.
func inBubble(t *testing.T, test func(t *testing.T, m *memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newMemory()) })
}

// healthy starts an operator that is healthy, and has nothing left to write.
func healthy(t *testing.T, m *memory, change ...func(*components.Config)) *process {
	t.Helper()
	before := m.start(t, components.Operator, change...)
	before.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
	require.NoError(t, before.Judge(components.Controller, condition(typeOf(components.Controller, components.Available), metav1.ConditionTrue)))
	require.NoError(t, before.Judge(components.Daemon,
		condition(typeOf(components.Daemon, components.Degraded), metav1.ConditionFalse),
		condition(typeOf(components.Daemon, components.Available), metav1.ConditionTrue),
		condition(typeOf(components.Daemon, components.Progressing), metav1.ConditionFalse)))
	pass(time.Hour)
	before.stop()
	p := m.start(t, components.Operator, change...) // removes the condition of the bootstrap
	p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
	pass(2 * time.Hour)
	require.Len(t, m.conditions(), 6)
	return p
}

func condition(name string, status metav1.ConditionStatus) metav1.Condition {
	reason := "AsExpected"
	if (status == metav1.ConditionTrue) != strings.HasSuffix(name, "Available") {
		reason = "Broken"
	}
	return metav1.Condition{Type: name, Status: status, Reason: reason}
}

func TestFirstStart(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.start(t, components.Operator)
		assert.Equal(t, 1, m.writes(), "at once")
		assert.Equal(t, "Starting", m.condition(t, operatorDegraded).Reason)
		assert.Equal(t, metav1.ConditionUnknown, m.condition(t, operatorDegraded).Status)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, bootstrap).Status)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Minute)
		assert.Equal(t, "No pass has succeeded yet", m.condition(t, operatorDegraded).Message)
		assert.Equal(t, 1, m.writes())
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		assert.Equal(t, 2, m.writes())
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorDegraded).Status)
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorProgressing).Status)
		assert.Equal(t, "Complete", m.condition(t, bootstrap).Reason)

		p.stop()
		m.start(t, components.Operator)
		pass(time.Hour)
		assert.Equal(t, 3, m.writes(), "one write after a restart")
		assert.NotContains(t, fmt.Sprint(m.conditions()), bootstrap, "it is complete")
	})
}

func TestHealthyWritesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before := m.writes()
		for range 360 { // an hour of syncs, some of which fail and recover
			p.sync(components.OperatorSync, components.OperatorSyncMCP, nil)
			pass(5 * time.Second)
			p.sync(components.OperatorSync, components.OperatorSyncMCP, errDaemons)
			pass(5 * time.Second)
		}
		p.sync(components.OperatorSync, components.OperatorSyncMCP, nil)
		pass(time.Hour)
		assert.Equal(t, before, m.writes())

		p.stop()
		p = m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCP, nil)
		pass(time.Hour)
		assert.LessOrEqual(t, m.writes()-before, 1, "a restart")
		assert.Equal(t, before, m.writes(), "there is nothing to write")
	})
}

func TestFaultAndRecoveryAreTwoWrites(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before := m.writes()
		began := time.Now()
		for time.Since(began) < 20*time.Minute {
			p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
			pass(10 * time.Second)
		}
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, metav1.ConditionTrue, degraded.Status)
		assert.Equal(t, "OperatorSyncMCDFailed", degraded.Reason, "the step, not the sync")
		assert.Equal(t, errDaemons.Error(), degraded.Message)
		assert.Equal(t, began.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix(), "after Persist")
		fault, ok := components.MostRecentError(m.conditions())
		assert.True(t, ok)
		assert.False(t, fault.Resolved)

		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		resolved := time.Now().UTC().Format(time.RFC3339)
		pass(time.Hour)
		degraded = m.condition(t, operatorDegraded)
		assert.Equal(t, metav1.ConditionFalse, degraded.Status)
		assert.Equal(t, "AsExpected", degraded.Reason)
		assert.Equal(t, "Last error, resolved "+resolved+", in OperatorSyncMCD: "+errDaemons.Error(), degraded.Message)
		assert.Equal(t, 2, m.writes()-before)
	})
}

func TestSlowPass(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before, began := m.writes(), time.Now()
		sync := p.Begin(components.OperatorSync, "")
		pass(time.Minute)
		step := p.Begin(components.OperatorSyncMCPRequired, "worker")
		pass(70 * time.Second)
		c := m.condition(t, operatorProgressing)
		assert.Equal(t, metav1.ConditionTrue, c.Status)
		assert.Equal(t, "OperatorSync", c.Reason)
		assert.Equal(t, "OperatorSync has been running since "+began.UTC().Format(time.RFC3339), c.Message)
		pass(10 * time.Minute)
		c = m.condition(t, operatorProgressing)
		assert.Equal(t, "OperatorSyncMCPRequired", c.Reason, "the step, not the sync")
		assert.Contains(t, c.Message, "OperatorSyncMCPRequired of worker has been running since ")
		assert.Equal(t, began.Add(2*time.Minute).Unix(), c.LastTransitionTime.Unix())
		step.End(nil)
		sync.End(nil)
		pass(time.Hour)
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorProgressing).Status)
		assert.Equal(t, 3, m.writes()-before)
	})
}

func TestRestartTakesOver(t *testing.T) {
	fault := func(t *testing.T, m *memory) *process {
		p := healthy(t, m)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		require.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
		p.stop()
		return m.start(t, components.Operator)
	}
	t.Run("until the state succeeds", func(t *testing.T) {
		inBubble(t, func(t *testing.T, m *memory) {
			p := fault(t, m)
			before := m.condition(t, operatorDegraded)
			for range 60 {
				pass(time.Minute)
				p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
			}
			assert.Equal(t, before, m.condition(t, operatorDegraded), "nothing has changed")
			p.Begin(components.OperatorSyncMCP, "").End(nil)
			pass(time.Minute)
			assert.Equal(t, before, m.condition(t, operatorDegraded), "another state")
			p.Begin(components.OperatorSyncMCD, "").End(nil)
			pass(0)
			assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorDegraded).Status)
			assert.Contains(t, m.condition(t, operatorDegraded).Message, errDaemons.Error())
		})
	})
	t.Run("also when it has succeeded before the informer has the object", func(t *testing.T) {
		inBubble(t, func(t *testing.T, m *memory) {
			fault(t, m).stop()
			var ready atomic.Bool
			p := m.start(t, components.Operator, func(c *components.Config) {
				c.Ready = func(*operatorv1.MachineConfiguration) bool { return ready.Load() }
			})
			p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
			ready.Store(true)
			pass(time.Minute)
			assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorDegraded).Status)
			assert.Contains(t, m.condition(t, operatorDegraded).Message, errDaemons.Error())
		})
	})
	t.Run("or ten minutes pass without an error", func(t *testing.T) {
		inBubble(t, func(t *testing.T, m *memory) {
			fault(t, m)
			pass(9 * time.Minute)
			assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
			pass(time.Minute)
			assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorDegraded).Status)
		})
	})
}

func TestJudgements(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		began := time.Now()
		judge := func(status metav1.ConditionStatus) {
			require.NoError(t, p.Judge(components.Daemon, condition(daemonAvailable, status)))
		}
		judge(metav1.ConditionFalse)
		pass(9 * time.Minute)
		judge(metav1.ConditionTrue)
		judge(metav1.ConditionFalse)
		pass(9 * time.Minute)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, daemonAvailable).Status, "never for ten minutes")
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, daemonAvailable).Status)
		assert.Equal(t, began.Add(19*time.Minute).Unix(), m.condition(t, daemonAvailable).LastTransitionTime.Unix())
		pass(time.Minute)
		judge(metav1.ConditionTrue)
		pass(0)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, daemonAvailable).Status, "at once")
	})
}

func TestRunRunsOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.start(t, components.Operator)
		assert.ErrorContains(t, p.Run(t.Context()), "running already")
		p.stop()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.NoError(t, p.Run(ctx), "it may run again")
	})
}

func TestANilReporter(t *testing.T) {
	var r *components.Reporter
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Begin(components.OperatorSync, "").End(nil)
	r.Forget(components.OperatorSync, "")
	r.Handler().OnAdd(&operatorv1.MachineConfiguration{}, false)
	assert.NoError(t, errors.Join(r.Judge(components.Daemon), r.Run(ctx), r.Flush(ctx), r.Clear(ctx)))
	assert.Equal(t, errDaemons, r.Track(ctx, components.OperatorSync, "", func(context.Context) error { return errDaemons }))
}
