package components_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestFaultAndRecoveryAreTwoWrites(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		before, began := m.writes(), time.Now()
		for time.Since(began) < 20*time.Minute {
			p.sync(errDaemons)
			pass(10 * time.Second)
		}
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, yes, degraded.Status)
		assert.Equal(t, "OperatorSyncMCDFailed", degraded.Reason, "the step, not the sync")
		assert.Equal(t, errDaemons.Error(), degraded.Message)
		assert.Equal(t, began.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix())

		end := p.Begin(components.OperatorSync, "")
		p.Begin(components.OperatorSyncMCD, "")(nil)
		pass(time.Minute)
		assert.Equal(t, degraded, m.condition(t, operatorDegraded), "the sync may yet fail")
		end(nil)
		pass(time.Hour)
		resolved := m.condition(t, operatorDegraded)
		assert.Equal(t, no, resolved.Status)
		assert.Equal(t, "AsExpected", resolved.Reason)
		want := "Last error, resolved " + resolved.LastTransitionTime.UTC().Format(time.RFC3339) + ", in OperatorSyncMCD: " + errDaemons.Error()
		assert.Equal(t, want, resolved.Message)
		assert.Equal(t, 2, m.writes()-before)

		p.stop()
		p = m.operator(t)
		p.Begin(components.OperatorSyncMCP, "")(errDaemons)
		pass(time.Minute)
		p.Begin(components.OperatorSyncMCP, "")(nil)
		pass(time.Hour)
		assert.Equal(t, want, m.condition(t, operatorDegraded).Message, "until the next error that lasts, also after a restart")
	})
}

// TestAnErrorOfAnOutage that was never published is the last error all the same.
func TestAnErrorOfAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		m.failWith(errDown)
		p.Begin(components.OperatorSyncMCD, "")(errDaemons)
		pass(10 * time.Minute)
		p.Begin(components.OperatorSyncMCD, "")(nil)
		pass(10 * time.Minute)
		m.failWith(nil)
		pass(time.Minute)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, "Last error, resolved ")
	})
}

// TestASlowPass is Progressing after two minutes, and Degraded after thirty.
func TestASlowPass(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		began := time.Now()
		endSync := p.Begin(components.OperatorSync, "")
		pass(time.Minute)
		endStep := p.Begin(components.OperatorSyncMCPRequired, "worker")
		pass(70 * time.Second)
		c := m.condition(t, operatorProgressing)
		assert.Equal(t, yes, c.Status)
		assert.Equal(t, "OperatorSync", c.Reason)
		assert.Equal(t, "running since "+began.UTC().Format(time.RFC3339), c.Message)
		pass(10 * time.Minute)
		c = m.condition(t, operatorProgressing)
		assert.Equal(t, "OperatorSyncMCPRequired", c.Reason, "the step, not the sync")
		assert.Contains(t, c.Message, "worker: running since ")
		assert.Equal(t, began.Add(2*time.Minute).Unix(), c.LastTransitionTime.Unix())
		assert.Equal(t, no, m.condition(t, operatorDegraded).Status)

		pass(5 * time.Hour) // without an error
		stuck := m.condition(t, operatorDegraded)
		assert.Equal(t, yes, stuck.Status)
		assert.Equal(t, "OperatorSyncMCPRequiredStuck", stuck.Reason)
		assert.Equal(t, c.Message, stuck.Message, "one problem: the sync is stuck in this step")
		assert.WithinDuration(t, began.Add(30*time.Minute), stuck.LastTransitionTime.Time, 30*time.Second)
		assert.Equal(t, components.Unhealthy, components.HealthOf(m.conditions(), components.Operator))

		endStep(nil)
		endSync(nil)
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, operatorProgressing).Status)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, ", in OperatorSyncMCPRequired: worker: running since ")
	})
}

// TestAKilledProcess leaves its error, and the next process continues.
func TestAKilledProcess(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		p.sync(errDaemons)
		pass(time.Hour)
		want, before := m.condition(t, operatorDegraded), m.writes()
		p.stop()
		p = m.operator(t)
		for range 30 {
			p.sync(errDaemons)
			pass(time.Minute)
			assert.Equal(t, want, m.condition(t, operatorDegraded), "nothing has changed")
		}
		assert.Equal(t, before, m.writes())
		p.stop()
		p = m.operator(t)
		p.sync(nil)
		pass(time.Hour)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, ", in OperatorSyncMCD: "+errDaemons.Error())
		assert.Equal(t, before+1, m.writes())
	})
}

func TestPeerConditions(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		for _, name := range []string{daemonAvailable, controllerAvailable} {
			began := time.Now()
			p.setPeer(t, name, no, "")
			pass(9 * time.Minute)
			p.setPeer(t, name, yes, "")
			p.setPeer(t, name, no, "")
			pass(9 * time.Minute)
			assert.Equal(t, yes, m.condition(t, name).Status, "never for ten minutes")
			pass(time.Minute)
			assert.Equal(t, no, m.condition(t, name).Status)
			assert.Equal(t, began.Add(19*time.Minute).Unix(), m.condition(t, name).LastTransitionTime.Unix())
			pass(time.Minute)
			p.setPeer(t, name, yes, "")
			pass(0)
			assert.Equal(t, yes, m.condition(t, name).Status, "at once")
			pass(time.Hour)
		}
		p.setPeer(t, daemonDegraded, yes, "disk\nfull")
		pass(time.Minute)
		assert.Equal(t, no, m.condition(t, daemonDegraded).Status)
		pass(time.Hour)
		assert.Equal(t, "disk full", m.condition(t, daemonDegraded).Message)
		p.setPeer(t, daemonDegraded, no, "")
		pass(time.Hour)
		assert.Regexp(t, `^$`, m.condition(t, daemonDegraded).Message)
		p.setPeer(t, daemonDegraded, unknown, "no objects")
		pass(time.Hour)
		p.stop()
		m.operator(t)
		pass(time.Hour)
		assert.Equal(t, "no objects", m.condition(t, daemonDegraded).Message, "a restart keeps what it does not know")
		assert.NotContains(t, strings.Join(m.bodies, ""), "observedGeneration")
	})
}

// TestAStuckRollout of the DaemonSet makes the daemons Degraded after an hour, also across restarts.
func TestAStuckRollout(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		ds := daemonSet()
		ds.Status.UpdatedNumberScheduled = 3 // and no daemon is missing
		set := func() {
			require.NoError(t, p.SetPeerConditions(components.Daemon, components.Daemons(ds, nodes(0), time.Now())...))
			pass(30 * time.Second)
		}
		for n := range 120 {
			set()
			if n == 60 {
				p.stop()
				p = m.operator(t)
			}
		}
		assert.Equal(t, yes, m.condition(t, daemonProgressing).Status)
		assert.Equal(t, no, m.condition(t, daemonDegraded).Status)
		for range 8 {
			set()
		}
		degraded := m.condition(t, daemonDegraded)
		assert.Equal(t, "RolloutStuck", degraded.Reason)
		assert.Regexp(t, `^DaemonSet machine-config-daemon is being rolled out since \S+Z$`, degraded.Message)
		assert.Equal(t, components.Unhealthy, components.HealthOf(m.conditions(), components.Daemon))
		before := m.writes()
		for range 120 {
			set()
		}
		assert.Equal(t, before, m.writes())
		ds.Status.UpdatedNumberScheduled = 6
		set()
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, daemonDegraded).Status)
		assert.Equal(t, before+1, m.writes())
	})
}

func TestTrack(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.operator(t)
		assert.NoError(t, p.Track(t.Context(), components.OperatorSyncMCD, "", func(context.Context) error { return nil }))
		assert.Equal(t, errDaemons, p.Track(t.Context(), components.OperatorSyncMCD, "", func(context.Context) error { return errDaemons }))
		assert.ErrorContains(t, p.Track(t.Context(), components.OperatorSync, "", nil), "work is nil")
		pass(time.Hour)
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status)

		ctx, cancel := context.WithCancel(t.Context())
		work := func(ctx context.Context) error { cancel(); return fmt.Errorf("stopped: %w", ctx.Err()) }
		assert.ErrorIs(t, p.Track(ctx, components.OperatorSyncMCP, "", work), context.Canceled)
		end := p.Begin(components.OperatorSyncMCD, "")
		end(nil)
		end(errDaemons)
		forgotten := p.Begin(components.OperatorSyncMCP, "deleted")
		p.Forget(components.OperatorSyncMCP, "deleted")
		forgotten(errDaemons)
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, operatorDegraded).Status, "neither a stop, nor a second end, nor a forgotten pass is a failure")
		assert.Equal(t, no, m.condition(t, operatorProgressing).Status)

		_ = p.Track(t.Context(), components.OperatorSyncMCP, "", func(context.Context) error { return context.Canceled })
		pass(time.Hour)
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status, "its own cancellation is a failure")

		var none *components.Reporter
		none.Begin(components.OperatorSync, "")(nil)
		none.Forget(components.OperatorSync, "")
		assert.NoError(t, none.SetPeerConditions(components.Daemon))
		assert.Equal(t, errDaemons, none.Track(t.Context(), components.OperatorSync, "", func(context.Context) error { return errDaemons }))
	})
}

type badError struct{ text *string }

func (e *badError) Error() string { return *e.text }

// TestBadInput: whatever the process reports, its work continues, and the writes are valid and small.
func TestBadInput(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.operator(t)
		before := m.writes()
		for range 3 {
			p.Begin("OperatorSyncEverything", "")(errDaemons)
			p.Begin(components.MCCSync, "")(errDaemons) // of the controller
			p.Begin("SyncMCD", "")(errDaemons)          // of the daemons
			p.Begin(components.State(strings.Repeat("a", 1<<20)), "")(errDaemons)
			p.Forget("OperatorSyncEverything", "")
		}
		pass(time.Hour)
		assert.Equal(t, before, m.writes(), "these are ignored")

		var typedNil *badError
		huge := strings.Repeat("key\n", 1<<18)
		p.Begin(components.OperatorSyncMCD, huge)(errors.New(strings.Repeat("line \xff\n", 1<<18)))
		p.Begin(components.OperatorSyncMCP, "\xff")(typedNil)
		p.Begin(components.OperatorSyncMCN, "")(&badError{})
		for i := range 500 {
			p.Begin(components.OperatorSyncMCPRequired, fmt.Sprint(huge[:1<<10], "never ends ", i))
			p.Begin(components.OperatorSyncMCC, fmt.Sprint("key ", i))(errDaemons)
		}
		assert.PanicsWithValue(t, "broken", func() {
			_ = p.Track(t.Context(), components.MetricsSync, "", func(context.Context) error { panic("broken") })
		})
		peersAre(t, p, false, huge)
		pass(20 * time.Minute)
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, yes, degraded.Status)
		assert.Contains(t, degraded.Message, "; and 63 more")
		assert.NotContains(t, fmt.Sprint(m.conditions()), "\n")
		assert.Equal(t, yes, m.condition(t, operatorProgressing).Status)
		for _, body := range m.bodies {
			assert.LessOrEqual(t, len(body), 4000)
		}
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
					end := p.Begin(components.OperatorSyncMCP, key)
					p.Begin(components.OperatorSyncMCD, "")(fmt.Errorf("attempt %d of %d", n, g))
					assert.NoError(t, p.Track(t.Context(), components.OperatorSyncMCN, key, func(context.Context) error { return nil }))
					end(errors.New(key))
					p.Forget(components.OperatorSyncMCN, key)
					p.setPeer(t, daemonDegraded, no, "")
					<-time.After(time.Second)
				}
			})
		}
		calls.Wait()
		p.Begin(components.OperatorSyncMCD, "")(nil)
		pass(time.Hour)
		assert.Equal(t, "OperatorSyncMCPFailed", m.condition(t, operatorDegraded).Reason)
		assert.Contains(t, m.condition(t, operatorDegraded).Message, "; and 7 more")
	})
}

func TestInvalidConfigs(t *testing.T) {
	m := newMemory()
	for name, change := range map[string]func(*components.Config){
		"Client":       func(c *components.Config) { c.Client = (*memory)(nil) },
		"Lister":       func(c *components.Config) { c.Lister = nil },
		"Component":    func(c *components.Config) { c.Component = components.Daemon },
		"FieldManager": func(c *components.Config) { c.FieldManager = "machine-config-controller-state" },
	} {
		config := m.config(components.Operator)
		change(&config)
		_, err := components.New(config)
		var invalid *field.Error
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, "components.Config."+name, invalid.Field)
	}
	assert.Zero(t, m.writes())
}

func TestInvalidPeerConditions(t *testing.T) {
	m := newMemory()
	operator, err := components.New(m.config(components.Operator))
	require.NoError(t, err)
	controller, err := components.New(m.config(components.Controller))
	require.NoError(t, err)
	valid := metav1.Condition{Type: daemonAvailable, Status: yes, Reason: "AsExpected"}
	with := func(change func(*metav1.Condition)) metav1.Condition {
		c := valid
		change(&c)
		return c
	}
	named := func(name string) metav1.Condition { return with(func(c *metav1.Condition) { c.Type = name }) }
	for name, tc := range map[string]struct {
		reporter  *components.Reporter
		component components.Component
		condition metav1.Condition
		field     string
	}{
		"of itself":                  {operator, components.Operator, named(operatorDegraded), "type"},
		"of the bootstrap":           {operator, components.Bootstrap, named(bootstrap), "type"},
		"of an unknown component":    {operator, "MachineConfigServer", valid, "type"},
		"by the wrong process":       {controller, components.Daemon, valid, "type"},
		"a type of another":          {operator, components.Controller, valid, "type"},
		"a type of its own":          {operator, components.Controller, named("MachineConfigControllerDegraded"), "type"},
		"an unknown type":            {controller, components.Operator, named("Upgradeable"), "type"},
		"no status":                  {operator, components.Daemon, with(func(c *metav1.Condition) { c.Status = "" }), "status"},
		"a reason that is a message": {operator, components.Daemon, with(func(c *metav1.Condition) { c.Reason = "a b" }), "reason"},
	} {
		var invalid *field.Error
		require.ErrorAs(t, tc.reporter.SetPeerConditions(tc.component, valid, tc.condition), &invalid, name)
		assert.Contains(t, invalid.Field, "."+tc.field, name)
	}
	assert.NoError(t, operator.SetPeerConditions(components.Daemon, valid))
}
