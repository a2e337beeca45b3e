package components_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestASlowPassIsProgressingAfterTwoMinutesAndDegradedAfterThirty(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		began := time.Now()
		endSync := p.Begin(components.OperatorSync, "")
		pass(time.Minute)
		endStep := p.Begin(components.OperatorSyncMCPRequired, "worker")
		pass(70 * time.Second)
		c := m.is(t, operatorProgressing, yes, "OperatorSync")
		assert.Equal(t, "running since "+began.UTC().Format(time.RFC3339), c.Message)
		pass(10 * time.Minute)
		c = m.is(t, operatorProgressing, yes, "OperatorSyncMCPRequired")
		assert.Equal(t, "worker: running since "+began.Add(time.Minute).UTC().Format(time.RFC3339), c.Message)
		assert.Equal(t, began.Add(2*time.Minute).Unix(), c.LastTransitionTime.Unix())
		m.is(t, operatorDegraded, no, "AsExpected")

		p.Begin(components.OperatorSyncMCN, "")
		pass(5 * time.Minute)
		m.is(t, operatorProgressing, yes, "OperatorSyncMCPRequired") // the condition describes the longest pass
		p.Forget(components.OperatorSyncMCN, "")
		pass(5 * time.Hour)
		stuck := m.is(t, operatorDegraded, yes, "OperatorSyncMCPRequiredStuck")
		assert.Equal(t, c.Message, stuck.Message, "a sync that is stuck in this step is not counted as a second problem")
		assert.Equal(t, began.Add(30*time.Minute).Unix(), stuck.LastTransitionTime.Unix())
		assert.Equal(t, components.Unhealthy, components.HealthOf(m.conditions(), components.Operator))

		endSync(nil) // before the step, so that the conditions change once
		endStep(nil)
		synctest.Wait()
		m.is(t, operatorProgressing, no, "AsExpected") // at once
		assert.Contains(t, m.is(t, operatorDegraded, no, "AsExpected").Message, ", in OperatorSyncMCPRequired: worker: running since ")
	})
}

func TestAPassThatIsStuckAndThenFailsStaysDegraded(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		end := healthy(t, m).Begin("PodStuck", "")
		pass(35 * time.Minute)
		m.is(t, operatorDegraded, yes, "PodStuckStuck")
		end(errDaemons)
		synctest.Wait()
		m.is(t, operatorDegraded, yes, "PodStuckFailed")
		fault, _ := components.MostRecentError(m.conditions())
		assert.Equal(t, components.State("PodStuck"), fault.State)
	})
}

// A peer's condition that becomes unhealthy is written after a delay. A condition that becomes healthy is written at once.
func TestPeerConditionsAreWrittenAfterTheyHaveLasted(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		for _, tc := range []struct {
			name   string
			status metav1.ConditionStatus
			after  time.Duration
		}{
			{controllerAvailable, no, 10 * time.Minute},
			{controllerAvailable, yes, 0},
			{daemonAvailable, no, 10 * time.Minute},
			{daemonAvailable, unknown, 2 * time.Minute},
			{daemonAvailable, yes, 0},
			{daemonProgressing, yes, 2 * time.Minute},
			{daemonProgressing, no, 0},
			{daemonDegraded, yes, 2 * time.Minute},
			{daemonDegraded, no, 0},
			{daemonDegraded, unknown, 2 * time.Minute},
		} {
			before := m.condition(t, tc.name)
			p.setPeer(t, tc.name, before.Status, before.Message)
			p.setPeer(t, tc.name, tc.status, string(tc.status))
			synctest.Wait()
			if tc.after > 0 {
				pass(tc.after - time.Minute)
				assert.Equal(t, before, m.condition(t, tc.name))
				pass(time.Minute)
			}
			assert.WithinDuration(t, time.Now(), m.is(t, tc.name, tc.status, "Reason").LastTransitionTime.Time, time.Second)
			pass(3 * time.Hour)
		}
		p.stop()
		m.operator(t)
		pass(time.Hour)
		assert.Equal(t, "Unknown", m.is(t, daemonDegraded, unknown, "Reason").Message, "a new process keeps a condition of a peer until the condition is set again")
	})
}

// During the bootstrap, the message has the current step, even after a restart. After the first sync has succeeded, the
// condition never changes again.
func TestTheBootstrapIsVisibleAndItsRecordStays(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.operator(t)
		m.is(t, operatorDegraded, unknown, "Starting")
		assert.Len(t, m.conditions(), 3, "conditions of the controller and the daemons are not written before they are known")
		assert.Equal(t, "The first sync has not completed", m.is(t, bootstrap, yes, "BootstrapProgression").Message)
		p.sync(errDaemons)
		p.Begin(components.MetricsSync, "")(errDaemons) // MetricsSync is not a step of the sync
		p.Forget(components.MetricsSync, "")
		pass(10 * time.Minute)
		assert.Equal(t, "The first sync is at step OperatorSyncMCD", m.is(t, bootstrap, yes, "BootstrapProgression").Message)
		end := p.Begin(components.OperatorSync, "")
		p.Begin(components.OperatorSyncMCD, "")(nil)
		pass(time.Minute)
		assert.Equal(t, errDaemons.Error(), m.is(t, operatorDegraded, yes, "OperatorSyncFailed").Message, "a step that succeeds does not resolve the error of the sync")
		end(errDaemons)

		p.stop()
		p = m.operator(t)
		pass(10 * time.Minute)
		assert.Equal(t, "The first sync is at step OperatorSyncMCD", m.is(t, bootstrap, yes, "BootstrapProgression").Message)
		p.sync(nil)
		pass(time.Hour)
		record := m.is(t, bootstrap, no, "Complete")
		completed := record.LastTransitionTime.UTC().Format(time.RFC3339)
		assert.Equal(t, "Completed at "+completed+", after 21m0s; last error, in OperatorSync: timed out waiting for the daemons", record.Message)
		assert.LessOrEqual(t, m.writes(), 6)

		p.stop()
		p = m.operator(t)
		p.sync(errDaemons)
		pass(time.Hour)
		assert.Equal(t, record, m.condition(t, bootstrap))
	})
}

// The hour of a stuck rollout does not start again after a restart of the operator. If a node is degraded, the condition
// shows the node instead of the rollout.
func TestAStuckRolloutDegradesTheDaemonsAfterAnHour(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p, ds, mcns := healthy(t, m), daemonSet(), nodes(0)
		last := func(minutes int) {
			for range 2 * minutes {
				require.NoError(t, p.SetPeerConditions(components.Daemon, components.Daemons(ds, mcns, time.Now())...))
				pass(30 * time.Second)
			}
		}
		ds.Status.UpdatedNumberScheduled = 3
		last(1)
		m.is(t, daemonDegraded, no, "AsExpected") // the rollout began a minute ago
		last(29)
		p.stop()
		p = m.operator(t)
		last(31)
		m.is(t, daemonProgressing, yes, "RollingOut")
		m.is(t, daemonDegraded, no, "AsExpected")
		last(3)
		assert.Regexp(t, `^DaemonSet machine-config-daemon is being rolled out since \S+Z$`, m.is(t, daemonDegraded, yes, "RolloutStuck").Message)
		assert.Equal(t, components.Unhealthy, components.HealthOf(m.conditions(), components.Daemon))
		before := m.writes()
		last(60)
		assert.Equal(t, before, m.writes())
		ds.Status.UpdatedNumberScheduled = 6
		last(60)
		m.is(t, daemonDegraded, no, "AsExpected")
		assert.Equal(t, before+1, m.writes())
		ds.Status.UpdatedNumberScheduled, ds.Status.NumberUnavailable = 3, 1
		last(70)
		m.is(t, daemonDegraded, yes, "RolloutStuck")
		m.is(t, daemonAvailable, no, "DaemonSetUnavailable")
		degraded(mcns[0])
		last(20)
		c := m.is(t, daemonDegraded, yes, "SyncMCDFailed")
		assert.Contains(t, c.Message, "worker-0")
	})
}

func TestARolloutThatEndsWhileTheOperatorIsDownIsNotStuck(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		p.setPeer(t, daemonProgressing, yes, "")
		pass(5 * time.Minute)
		p.stop()
		pass(2 * time.Hour)
		p = m.operator(t)
		p.setPeer(t, daemonProgressing, no, "")
		pass(time.Minute)
		m.is(t, daemonDegraded, no, "Reason")
	})
}

// Track returns the error of the work, and records the result of the pass once. A nil Reporter only runs the work.
func TestTrackReturnsTheErrorOfTheWork(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.operator(t)
		track := func(err error) error {
			return p.Track(t.Context(), components.OperatorSyncMCD, "", func(context.Context) error { return err })
		}
		assert.NoError(t, track(nil))
		assert.Equal(t, errDaemons, track(errDaemons))
		assert.ErrorContains(t, p.Track(t.Context(), components.OperatorSync, "", nil), "work is nil")
		pass(time.Hour)
		m.is(t, operatorDegraded, yes, "OperatorSyncMCDFailed")

		assert.NoError(t, track(nil))
		end, forgotten := p.Begin(components.OperatorSyncMCN, ""), p.Begin(components.OperatorSyncMCP, "deleted")
		end(nil)
		end(errDaemons)
		p.Forget(components.OperatorSyncMCP, "deleted")
		forgotten(errDaemons)
		end = p.Begin(components.OperatorSyncMCC, "")
		end(errDaemons)
		end(nil)
		pass(time.Hour)
		m.is(t, operatorDegraded, yes, "OperatorSyncMCCFailed") // the second call of end has no effect
		p.Forget(components.OperatorSyncMCC, "")
		synctest.Wait()
		m.is(t, operatorDegraded, no, "AsExpected") // a forgotten step has no error
		m.is(t, operatorProgressing, no, "AsExpected")

		p.Reporter = nil
		assert.Equal(t, errDaemons, track(errDaemons))
		p.Forget(components.OperatorSync, "")
		assert.NoError(t, p.SetPeerConditions(components.Daemon))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.NoError(t, p.Run(ctx))
	})
}

type badError struct{ text *string }

func (e *badError) Error() string { return *e.text }

// All conditions together have at most 4 kB, even after a panic, nil errors, huge texts and many degraded nodes.
func TestConditionsAreValidAndSmallWhateverIsReported(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p, controller := m.operator(t), m.start(t.Context(), t, m.config(components.Controller))
		var typedNil *badError
		huge := strings.Repeat("key\n", 1<<16)
		p.Begin(components.OperatorSyncMCD, huge)(errors.New(strings.Repeat("line \xff\n", 1<<18)))
		p.Begin(components.OperatorSyncMCP, "\xff")(typedNil)
		p.Begin(components.OperatorSyncMCN, "")(&badError{})
		p.Begin(components.OperatorSyncMCPRequired, huge) // never ends
		for i := range 64 {
			controller.Begin(components.MCCSyncMachineConfigPool, huge[i:])(fmt.Errorf("%d: %s", i, huge))
			controller.Begin(components.MCCSyncMachineConfigPool, huge)
		}
		all := slices.Repeat([]*mcfgv1.MachineConfigNode{mcn("ip-10-0-255-255.us-east-2.compute.internal", degraded)}, 5000)
		require.NoError(t, p.SetPeerConditions(components.Daemon, components.Daemons(daemonSet(missing(6)), all, time.Now())...))
		p.setPeer(t, controllerAvailable, no, huge)
		require.NoError(t, controller.SetPeerConditions(components.Operator, metav1.Condition{Type: components.TypeOf(components.Operator, components.Available), Status: no, Reason: "A", Message: huge}))
		pass(time.Second)
		assert.PanicsWithValue(t, "broken", func() {
			_ = p.Track(t.Context(), components.MetricsSync, "", func(context.Context) error { panic("broken") })
		})
		pass(20 * time.Minute)
		assert.Equal(t, "the step panicked: see the log of the process; and 3 more", m.is(t, operatorDegraded, yes, "SyncMetricsFailed").Message)
		pass(20 * time.Minute)
		assert.Contains(t, m.is(t, operatorDegraded, yes, "OperatorSyncMCPRequiredStuck").Message, "; and 4 more")
		assert.NotContains(t, fmt.Sprint(m.conditions()), "\n")
		data, err := json.Marshal(m.conditions())
		require.NoError(t, err)
		assert.LessOrEqual(t, len(data), 4000)
		assert.Greater(t, len(data), 2500)
	})
}

func TestInvalidArgumentsAreRejected(t *testing.T) {
	m := newMemory()
	isInvalid := func(want, detail string, err error) {
		t.Helper()
		var invalid *field.Error
		if assert.ErrorAs(t, err, &invalid) {
			assert.Equal(t, "components."+want, invalid.Field)
			assert.ErrorContains(t, err, detail)
		}
	}
	for _, tc := range []struct {
		field, detail string
		change        func(*components.Config)
	}{
		{"Client", "Required value: pass OperatorV1()", func(c *components.Config) { c.Client = (*memory)(nil) }},
		{"Lister", "Required value: pass Operator()", func(c *components.Config) { c.Lister = nil }},
		{"Component", `supported values: "MachineConfigOperator", "MachineConfigController"`, func(c *components.Config) { c.Component = components.Daemon }},
		{"FieldManager", "invalid character", func(c *components.Config) { c.FieldManager = "a\nb" }},
	} {
		config := m.config(components.Operator)
		tc.change(&config)
		_, err := components.New(config)
		isInvalid("Config."+tc.field, tc.detail, err)
	}
	operator, err := components.New(m.config(components.Operator))
	require.NoError(t, err)
	for _, tc := range []struct {
		component     components.Component
		condition     metav1.Condition
		field, detail string
	}{
		{components.Operator, metav1.Condition{Type: operatorDegraded}, "type", "MachineConfigOperator does not report this condition of MachineConfigOperator"},
		{components.Bootstrap, metav1.Condition{Type: bootstrap}, "type", "does not report"},
		{"MachineConfigServer", metav1.Condition{Type: daemonAvailable}, "type", "does not report"},
		{components.Controller, metav1.Condition{Type: daemonAvailable}, "type", "does not report"},
		{components.Controller, metav1.Condition{Type: "MachineConfigControllerDegraded"}, "type", "does not report"}, // only the controller reports this condition
		{components.Daemon, metav1.Condition{Type: daemonAvailable, Reason: "A"}, "status", `supported values: "False", "True", "Unknown"`},
		{components.Daemon, metav1.Condition{Type: daemonAvailable, Status: yes, Reason: "a b"}, "reason", "must start with alphabetic character"},
	} {
		isInvalid("SetPeerConditions.conditions[0]."+tc.field, tc.detail, operator.SetPeerConditions(tc.component, tc.condition))
	}
}
