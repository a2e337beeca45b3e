package components_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// After another process has changed our conditions, one write restores them. The conditions and fields of other processes
// are kept.
func TestConditionsThatAnotherProcessChangesAreRestored(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		healthy(t, m)
		want, before := m.conditions(), m.writes()
		changed := func(change func(*metav1.Condition)) []metav1.Condition {
			list := slices.Clone(want)
			change(&list[0])
			return list
		}
		for name, list := range map[string][]metav1.Condition{
			"removed":         nil,
			"some removed":    want[3:],
			"another status":  changed(func(c *metav1.Condition) { c.Status = yes }),
			"another reason":  changed(func(c *metav1.Condition) { c.Reason = "Old" }),
			"another message": changed(func(c *metav1.Condition) { c.Message = "old" }),
			"another time":    changed(func(c *metav1.Condition) { c.LastTransitionTime.Time = c.LastTransitionTime.Add(time.Second) }),
		} {
			m.setConditions(list)
			pass(time.Hour)
			assert.ElementsMatch(t, want, m.conditions(), name)
		}
		foreign := slices.Clone(want)
		foreign[0].ObservedGeneration = 7
		m.setConditions(append(foreign, metav1.Condition{Type: "BootImageUpdateDegraded"}))
		pass(time.Hour)
		assert.Len(t, m.conditions(), 8, "a condition of another client stays")
		assert.Equal(t, 6, m.writes()-before, "a change of observedGeneration, which belongs to another process, causes no write")
	})
}

// A rejected write is retried every 10 minutes, and any other failed write every 30 seconds. The retry has the time at which
// the status changed. An error that was resolved during the outage is shown as the last error.
func TestAFailedWriteIsRetriedAndLoggedOnce(t *testing.T) {
	const soon, late = 30 * time.Second, 10 * time.Minute
	for name, tc := range map[string]struct {
		err      error
		interval time.Duration
	}{
		"403":                             {apierrors.NewForbidden(resource, "cluster", nil), late},
		"404":                             {errNotFound, late},
		"422":                             {apierrors.NewInvalid(operatorv1.GroupVersion.WithKind("MachineConfiguration").GroupKind(), "cluster", nil), late},
		"500, a field that the CRD lacks": {apierrors.NewInternalError(errors.New("field not declared in schema")), late},
		"500":                             {apierrors.NewInternalError(errors.New("etcdserver: leader changed")), soon},
		"409":                             {apierrors.NewConflict(resource, "cluster", nil), soon},
		"503":                             {errDown, soon},
	} {
		inBubble(t, func(t *testing.T, m *memory) {
			m.failWith(tc.err)
			var out bytes.Buffer
			p, failed := m.startWithLog(t, &out), time.Now()
			p.sync(errDaemons)
			pass(59 * time.Minute)
			assert.Equal(t, 1+int(59*time.Minute/tc.interval), m.writes(), name)
			pass(5 * time.Hour)
			m.failWith(nil)
			pass(tc.interval)
			degraded := m.is(t, operatorDegraded, yes, "OperatorSyncMCDFailed")
			assert.Equal(t, failed.Add(2*time.Minute).Unix(), degraded.LastTransitionTime.Unix(), name)

			m.failWith(tc.err)
			p.Begin(components.OperatorSyncMCP, "")(errDown)
			pass(time.Hour)
			p.sync(nil)
			p.Begin(components.OperatorSyncMCP, "")(nil)
			m.failWith(nil)
			pass(10 * time.Minute)
			assert.Contains(t, m.condition(t, operatorDegraded).Message, ", in OperatorSyncMCP: ", name)
			p.stop()
			const logged = `(.*"Failed to write the conditions of a component" err.*\n.*"This works again" .*failure="Failed to write.*\n){2}`
			assert.Regexp(t, "^"+logged+"$", out.String(), name)
		})
	}
}

// Nothing is written until Config.Ready accepts the object, even after the object was created again.
func TestNothingIsWrittenBeforeTheObjectIsReady(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.delete()
		config := m.config(components.Operator)
		config.Ready = func(mc *operatorv1.MachineConfiguration) bool { return len(mc.Status.Conditions) > 0 }
		m.start(t.Context(), t, config).sync(nil)
		pass(time.Hour)
		for n := range 2 {
			m.create()
			pass(30 * time.Second)
			assert.Equal(t, n, m.writes())
			m.setConditions([]metav1.Condition{{Type: "BootImageUpdateDegraded"}})
			pass(30 * time.Second)
			assert.Equal(t, n+1, m.writes())
			m.delete()
			pass(time.Hour)
		}
	})
}

func TestAMissingObjectIsLoggedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.delete()
		var out bytes.Buffer
		p := m.startWithLog(t, &out)
		pass(time.Hour)
		m.create()
		pass(time.Hour)
		p.stop()
		const of = ` name="cluster" component="MachineConfigOperator"`
		assert.Regexp(t, `^.*"Waiting for a MachineConfiguration" err=".*"`+of+`\n.*"This works again"`+of+` failure="Waiting .*\n$`, out.String())
	})
}

// A request that hangs delays no caller, and is canceled after ten seconds. When Run ends, the request is canceled at once,
// and no failure is logged.
func TestARequestThatHangsIsCanceledAfterTenSeconds(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.hangs = true
		var out bytes.Buffer
		p, began := m.startWithLog(t, &out), time.Now()
		p.sync(errDaemons)
		p.stop()
		assert.Zero(t, time.Since(began))
		assert.Empty(t, out.String())
		p = m.startWithLog(t, &out)
		pass(10 * time.Second)
		assert.Contains(t, out.String(), "context deadline exceeded")
		before := m.writes()
		pass(time.Hour)
		assert.Less(t, m.writes()-before, 10, "the pause grows, because a write without a response may have succeeded")
		p.stop()
	})
}

// On a day without faults, nothing is written. On a day with faults, each fault causes two or three writes, and the last
// error stays after a restart.
func TestADayWithoutFaultsHasNoWrite(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, m *memory) { assert.Empty(t, day(t, m, false)) })
	inBubble(t, func(t *testing.T, m *memory) {
		assert.Equal(t, map[string]int{
			"machine-config-operator-state":   2 + 2, // two writes for the sync, and two for the Deployment
			"machine-config-controller-state": 3,     // the pass becomes Progressing, becomes Degraded, and ends
		}, day(t, m, true))
		resolved := m.is(t, operatorDegraded, no, "AsExpected")
		assert.Equal(t, "Last error, resolved "+resolved.LastTransitionTime.UTC().Format(time.RFC3339)+", in OperatorSyncMCD: "+errDaemons.Error(), resolved.Message)
	})
}

// day simulates a day of both processes, and returns the number of writes by field manager. The day begins two hours after
// the start of the processes. There is a sync every 30 seconds, some nodes are updated, and each process restarts. With
// faults, passes fail now and then, a sync fails for an hour in which the operator is killed, a pass hangs for an hour, and
// the controller's Deployment is unavailable for an hour.
func day(t *testing.T, m *memory, hasFaults bool) map[string]int {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	operator, controller := m.operator(t), m.start(t.Context(), t, m.config(components.Controller))
	end := func(error) {}
	for n := -240; n < 24*120; n++ {
		switch {
		case n == 0:
			clear(m.by)
		case n == 12*120 && hasFaults:
			end = controller.Begin(components.MCCSyncRenderedMachineConfigs, "")
		case n == 13*120:
			end(nil)
		case n == 8*120+60, n == 16*120: // the operator is killed: Run writes nothing at its end
			operator.stop()
			operator = m.operator(t)
		case n == 18*120:
			controller.stop()
			controller = m.start(t.Context(), t, m.config(components.Controller))
		}
		fails := func(is bool) error { return map[bool]error{true: errDaemons}[is && hasFaults && n >= 0] }
		operator.sync(fails(n/120 == 8))
		for _, pool := range []string{"master", "worker"} {
			controller.Begin(components.MCCSyncMachineConfigPool, pool)(fails(random.IntN(10) == 0))
		}
		now, available, unavailable := time.Now(), deployment(appsv1.DeploymentAvailable, "True"), deployment(appsv1.DeploymentAvailable, "False")
		require.NoError(t, controller.SetPeerConditions(components.Operator, components.Deployment(components.Operator, available, now)...))
		if fails(n/120 == 20) != nil {
			available = unavailable
		}
		require.NoError(t, operator.SetPeerConditions(components.Controller, components.Deployment(components.Controller, available, now)...))
		require.NoError(t, operator.SetPeerConditions(components.Daemon, components.Daemons(daemonSet(), nodes(n), now)...))
		pass(30 * time.Second)
	}
	operator.stop()
	controller.stop()
	assert.Equal(t, components.Healthy, components.Overall(m.conditions()))
	return m.by
}

// While conditions change all the time, the pause between writes doubles, up to 10 minutes. After an hour without a write,
// the pause is 30 seconds again.
func TestThePauseBetweenWritesDoubles(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		const minute = time.Minute
		fromStart := []time.Duration{0, minute / 2, minute, 2 * minute, 4 * minute, 8 * minute, 10 * minute, 10 * minute, 10 * minute, 10 * minute}
		slow := []time.Duration{0, 10 * minute, 10 * minute, 10 * minute, 10 * minute, 10 * minute, 10 * minute}
		for _, step := range []struct {
			want  []time.Duration
			pause time.Duration // the time after the changes
		}{{fromStart, 50 * minute}, {slow, 2 * time.Hour}, {fromStart, 0}} {
			var writes []time.Duration
			last, written := time.Now(), m.writes()
			for n := range 6 * 60 {
				p.setPeer(t, daemonProgressing, no, fmt.Sprint("change ", n))
				if n%7 == 0 {
					m.setConditions(nil) // as another client does
				}
				pass(10 * time.Second)
				if m.writes() > written {
					writes = append(writes, time.Since(last).Round(30*time.Second))
					last, written = time.Now(), m.writes()
				}
			}
			assert.Equal(t, step.want, writes)
			pass(step.pause)
		}
	})
}
