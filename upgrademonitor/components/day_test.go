package components_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestADay simulates a day of both processes: a sync every 30 seconds, nodes in updates, a restart of
// each process. With faults, passes fail all the time and succeed again, a sync fails for an hour, a
// pass hangs for an hour, and the controller's Deployment is not available for an hour.
func TestADay(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, m *memory) { assert.Empty(t, day(t, m, false)) })
	inBubble(t, func(t *testing.T, m *memory) {
		assert.Equal(t, map[string]int{
			"machine-config-operator-state":   2 + 2, // the sync, the Deployment
			"machine-config-controller-state": 3,     // the pass is Progressing, Degraded, and over
		}, day(t, m, true))
	})
}

// day returns the writes of a day that is not the first, by field manager.
func day(t *testing.T, m *memory, hasFaults bool) map[string]int {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	operator, controller := m.operator(t), m.start(t.Context(), t, m.config(components.Controller))
	deployment := func(status corev1.ConditionStatus) *appsv1.Deployment {
		return &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: status}}}}
	}
	step := func(n int, hasFaults bool) {
		err := func(is bool) error { return map[bool]error{true: errDaemons}[hasFaults && is] }
		operator.sync(err(n/120 == 8))
		for _, pool := range []string{"master", "worker"} {
			controller.Begin(components.MCCSyncMachineConfigPool, pool)(err(random.IntN(10) == 0))
		}
		status := map[bool]corev1.ConditionStatus{true: "False", false: "True"}[hasFaults && n/120 == 20]
		now := time.Now()
		require.NoError(t, operator.SetPeerConditions(components.Controller, components.Deployment(components.Controller, deployment(status), now)...))
		require.NoError(t, operator.SetPeerConditions(components.Daemon, components.Daemons(daemonSet(), nodes(n), now)...))
		require.NoError(t, controller.SetPeerConditions(components.Operator, components.Deployment(components.Operator, deployment("True"), now)...))
		pass(30 * time.Second)
	}
	for range 240 {
		step(0, false)
	}
	before := m.writes()
	clear(m.by)
	end := func(error) {}
	for n := range 24 * 120 {
		switch {
		case n == 12*120 && hasFaults:
			end = controller.Begin(components.MCCSyncRenderedMachineConfigs, "")
		case n == 13*120:
			end(nil)
		case n == 16*120:
			operator.stop()
			operator = m.operator(t)
		case n == 18*120:
			controller.stop()
			controller = m.start(t.Context(), t, m.config(components.Controller))
		}
		step(n, hasFaults)
	}
	operator.stop()
	controller.stop()
	assert.Equal(t, components.Healthy, components.Overall(m.conditions()))
	t.Logf("faults %t: %v, and %d writes in the first two hours", hasFaults, m.by, before)
	return m.by
}

// TestEndlessChanges: a process that always has something to write makes at most 10 writes in the
// first hour, and then 6 an hour.
func TestEndlessChanges(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		period time.Duration
		step   func(t *testing.T, m *memory, p *process, n int)
	}{
		"as fast as errors last": {121 * time.Second, func(*testing.T, *memory, *process, int) {}},
		"11 minutes":             {11 * time.Minute, func(*testing.T, *memory, *process, int) {}},
		"everything": {30 * time.Second, func(t *testing.T, m *memory, p *process, n int) {
			p.Begin(components.OperatorSyncMCP, "")(fmt.Errorf("attempt %d", n))
			p.setPeer(t, daemonDegraded, map[bool]metav1.ConditionStatus{true: yes, false: no}[n%10 < 5], "")
			if n%7 == 0 {
				m.setConditions(nil)
			}
		}},
	} {
		inBubble(t, func(t *testing.T, m *memory) {
			p := healthy(t, m)
			began, before := time.Now(), m.writes()
			for n := 0; time.Since(began) < 6*time.Hour; n++ {
				p.sync(nil)
				p.sync(errDaemons)
				tc.step(t, m, p, n)
				pass(tc.period)
				assert.LessOrEqual(t, m.writes()-before, 10+6*int(time.Since(began)/time.Hour), name)
			}
			t.Logf("%s: %d writes in 6 hours", name, m.writes()-before)
		})
	}
}

// TestTheObjectGrowsLittle: by at most 4 kB, whatever fails, in a cluster of any size.
func TestTheObjectGrowsLittle(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, m *memory) {
		operator, controller := m.operator(t), m.start(t.Context(), t, m.config(components.Controller))
		var all []*mcfgv1.MachineConfigNode
		for i := range 5000 {
			all = append(all, mcn(fmt.Sprintf("ip-10-0-%d-%d.us-east-2.compute.internal", i/256, i%256), degraded))
		}
		huge := strings.Repeat("huge ", 1<<16)
		require.NoError(t, operator.SetPeerConditions(components.Daemon, components.Daemons(daemonSet(missing(6)), all, time.Now())...))
		operator.setPeer(t, controllerAvailable, no, huge)
		require.NoError(t, controller.SetPeerConditions(components.Operator, metav1.Condition{Type: components.TypeOf(components.Operator, components.Available), Status: no, Reason: "A", Message: huge}))
		for i := range 64 {
			operator.Begin(components.OperatorSyncMCC, fmt.Sprint(i))(fmt.Errorf("%d: %s", i, huge))
			controller.Begin(components.MCCSyncMachineConfigPool, strings.Repeat("key", i))(fmt.Errorf("%d: %s", i, huge))
			controller.Begin(components.MCCSyncMachineConfigPool, huge)
		}
		pass(20 * time.Minute)
		data, err := json.Marshal(m.conditions())
		require.NoError(t, err)
		t.Logf("all conditions have %d bytes", len(data))
		assert.LessOrEqual(t, len(data), 4000)
		assert.Greater(t, len(data), 2500)
	})
}
