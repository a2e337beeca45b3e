package components_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestHealthyWritesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before := m.writes()
		for range 360 { // an hour of syncs, half of which fail
			p.sync(components.OperatorSync, components.OperatorSyncMCP, nil)
			pass(5 * time.Second)
			p.sync(components.OperatorSync, components.OperatorSyncMCP, errDaemons)
			pass(5 * time.Second)
		}
		p.sync(components.OperatorSync, components.OperatorSyncMCP, nil)
		pass(time.Hour)
		p.stop()
		m.start(t, components.Operator).sync(components.OperatorSync, components.OperatorSyncMCP, nil)
		pass(time.Hour)
		assert.Equal(t, before, m.writes(), "nor does a restart")
	})
}

func TestFaultAndRecoveryAreTwoWrites(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before, began := m.writes(), time.Now()
		for time.Since(began) < 20*time.Minute {
			p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
			pass(10 * time.Second)
		}
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, yes, degraded.Status)
		assert.Equal(t, "OperatorSyncMCDFailed", degraded.Reason, "the step, not the sync")
		assert.Equal(t, errDaemons.Error(), degraded.Message)
		assert.Equal(t, began.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix(), "after DegradedInertia")

		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		resolved := time.Now().UTC().Format(time.RFC3339)
		pass(time.Hour)
		degraded = m.condition(t, operatorDegraded)
		assert.Equal(t, no, degraded.Status)
		assert.Equal(t, "AsExpected", degraded.Reason)
		want := "Last error, resolved " + resolved + ", in OperatorSyncMCD: " + errDaemons.Error()
		assert.Equal(t, want, degraded.Message)
		assert.Equal(t, 2, m.writes()-before)

		p.stop()
		p = m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCP, errDaemons)
		pass(time.Minute)
		p.sync(components.OperatorSync, components.OperatorSyncMCP, nil)
		pass(time.Hour)
		assert.Equal(t, want, m.condition(t, operatorDegraded).Message, "until the next that lasts, also after a restart")
	})
}

// TestAnErrorOfAnOutage that was never published is the last error all the same.
func TestAnErrorOfAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		m.failWith(errDown)
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(10 * time.Minute)
		p.Begin(components.OperatorSyncMCD, "").End(nil)
		pass(10 * time.Minute)
		m.failWith(nil)
		pass(10 * time.Minute)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, "Last error, resolved ")
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
		assert.Equal(t, yes, c.Status)
		assert.Equal(t, "OperatorSync has been running since "+began.UTC().Format(time.RFC3339), c.Message)
		pass(10 * time.Minute)
		c = m.condition(t, operatorProgressing)
		assert.Equal(t, "OperatorSyncMCPRequired", c.Reason, "the step, not the sync")
		assert.Contains(t, c.Message, "worker: OperatorSyncMCPRequired has been running since ")
		assert.Equal(t, began.Add(2*time.Minute).Unix(), c.LastTransitionTime.Unix())
		step.End(nil)
		sync.End(nil)
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, operatorProgressing).Status)
		assert.Equal(t, 3, m.writes()-before)
	})
}

// TestAKilledProcess leaves its error, and the next one continues.
func TestAKilledProcess(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		want, before := m.condition(t, operatorDegraded), m.writes()
		p.stop()
		p = m.start(t, components.Operator)
		for range 30 {
			p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
			pass(time.Minute)
			assert.Equal(t, want, m.condition(t, operatorDegraded), "nothing has changed")
		}
		assert.Equal(t, before, m.writes())
		p.stop()
		p = m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, ", in OperatorSyncMCD: "+errDaemons.Error())
		assert.Equal(t, before+1, m.writes())
	})
}

func TestPeerConditions(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		set := func(name string, status metav1.ConditionStatus, message string) {
			c := condition(name, status)
			c.Message, c.ObservedGeneration = message, 7
			require.NoError(t, p.SetPeerConditions(components.Daemon, c))
		}
		began := time.Now()
		set(daemonAvailable, no, "")
		pass(9 * time.Minute)
		set(daemonAvailable, yes, "")
		set(daemonAvailable, no, "")
		pass(9 * time.Minute)
		assert.Equal(t, yes, m.condition(t, daemonAvailable).Status, "never for ten minutes")
		pass(time.Minute)
		assert.Equal(t, no, m.condition(t, daemonAvailable).Status)
		assert.Equal(t, began.Add(19*time.Minute).Unix(), m.condition(t, daemonAvailable).LastTransitionTime.Unix())
		pass(time.Minute)
		set(daemonAvailable, yes, "")
		pass(0)
		assert.Equal(t, yes, m.condition(t, daemonAvailable).Status, "at once")

		set(daemonDegraded, yes, "disk\nfull")
		pass(time.Hour)
		set(daemonDegraded, unknown, "")
		pass(time.Hour)
		set(daemonDegraded, no, "")
		pass(time.Hour)
		assert.Regexp(t, `^Last error, resolved \S+, in Errored: disk full$`, m.condition(t, daemonDegraded).Message)
		p.stop()
		m.start(t, components.Operator)
		pass(time.Hour)
		assert.Contains(t, m.condition(t, daemonDegraded).Message, "disk full", "a restart keeps what it does not know")
		assert.NotContains(t, strings.Join(m.requestsSince(0), ""), "observedGeneration")
	})
}

func TestTrack(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		o := &recorder{}
		p := m.start(t, components.Operator, func(c *components.Config) { c.Observer = o })
		assert.NoError(t, p.Track(t.Context(), components.OperatorSyncMCD, "", func(context.Context) error { return nil }))
		assert.Equal(t, errDaemons, p.Track(t.Context(), components.OperatorSyncMCD, "", func(context.Context) error { return errDaemons }))
		pass(time.Hour)
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status)

		ctx, cancel := context.WithCancel(t.Context())
		work := func(ctx context.Context) error { cancel(); return fmt.Errorf("stopped: %w", ctx.Err()) }
		assert.ErrorIs(t, p.Track(ctx, components.OperatorSyncMCP, "", work), context.Canceled)
		twice := p.Begin(components.OperatorSyncMCD, "")
		twice.End(nil)
		twice.End(errDaemons)
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, operatorDegraded).Status, "stopping the process is not a failure")
		assert.Equal(t, []string{
			"OperatorSyncMCD ok", "OperatorSyncMCD timed out waiting for the daemons", "OperatorSyncMCP stopped: context canceled", "OperatorSyncMCD ok",
		}, o.ended)
		assert.Equal(t, 4, o.started)
		assert.Equal(t, m.writes(), o.written)

		_ = p.Track(t.Context(), components.OperatorSyncMCP, "", func(context.Context) error { return context.Canceled })
		pass(time.Hour)
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status, "its own cancellation is one")
	})
}

// recorder is an Observer that records its calls.
type recorder struct {
	mu               sync.Mutex
	started, written int
	ended, healths   []string
}

func (o *recorder) StepStarted(components.Component, components.State) {
	o.with(func() { o.started++ })
}
func (o *recorder) Written(time.Duration, error) { o.with(func() { o.written++ }) }
func (o *recorder) HealthChanged(c components.Component, h components.Health) {
	o.with(func() { o.healths = append(o.healths, fmt.Sprint(c, " ", h)) })
}
func (o *recorder) StepEnded(_ components.Component, s components.State, _ time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = err.Error()
	}
	o.with(func() { o.ended = append(o.ended, fmt.Sprint(s, " ", result)) })
}

func (o *recorder) with(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

func TestHealthIsObserved(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		o := &recorder{}
		p := m.start(t, components.Operator, func(c *components.Config) { c.Observer = o })
		controller := m.start(t, components.Controller)
		controller.sync(components.MCCSync, components.MCCSyncControllerConfig, nil)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		require.NoError(t, p.SetPeerConditions(components.Controller, condition(controllerAvailable, yes)))
		require.NoError(t, controller.SetPeerConditions(components.Operator, condition(components.TypeOf(components.Operator, components.Available), yes)))
		pass(time.Hour)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		p.stop()
		synctest.Wait()
		assert.Equal(t, []string{
			"MachineConfigOperator Unknown", "MachineConfigController Unknown", "MachineConfigDaemon Unknown",
			"MachineConfigOperator Healthy", "MachineConfigController Healthy", "MachineConfigOperator Unhealthy",
		}, o.healths)
	})
}

// TestConcurrentCalls of many goroutines, while Run writes. What they leave unresolved is published.
func TestConcurrentCalls(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		var calls sync.WaitGroup
		for g := range 8 {
			calls.Go(func() {
				key := fmt.Sprint("pool-", g)
				for n := range 100 {
					pass := p.Begin(components.OperatorSyncMCP, key)
					p.Begin(components.OperatorSyncMCD, "").End(fmt.Errorf("attempt %d of %d", n, g))
					assert.NoError(t, p.Track(t.Context(), components.OperatorSyncMCN, key, func(context.Context) error { return nil }))
					pass.End(errors.New(key))
					p.Forget(components.OperatorSyncMCN, key)
					assert.NoError(t, p.SetPeerConditions(components.Daemon, condition(daemonDegraded, no)))
					if n%50 == 0 {
						assert.NoError(t, p.Flush(t.Context()))
						<-time.After(time.Minute)
					}
				}
			})
		}
		calls.Wait()
		p.Begin(components.OperatorSyncMCD, "").End(nil)
		pass(time.Hour)
		assert.Equal(t, "OperatorSyncMCPFailed", m.condition(t, operatorDegraded).Reason)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, "; and 7 more")
	})
}

func TestANilReporter(t *testing.T) {
	var r *components.Reporter
	r.Begin(components.OperatorSync, "").End(nil)
	r.Forget(components.OperatorSync, "")
	assert.NoError(t, r.SetPeerConditions(components.Daemon))
	assert.Equal(t, errDaemons, r.Track(t.Context(), components.OperatorSync, "", func(context.Context) error { return errDaemons }))
}
