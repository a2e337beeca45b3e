package components_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var errConflict = apierrors.NewConflict(operatorv1.Resource("machineconfigurations"), "cluster", nil)

// bootstrapped is a server where an operator has completed the bootstrap, so that the next one removes
// its condition.
func bootstrapped(t *testing.T, m *memory) {
	t.Helper()
	p := m.start(t, components.Operator)
	p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
	pass(time.Hour)
	p.stop()
	require.Equal(t, "Complete", m.condition(t, bootstrap).Reason)
}

// failTimes has the next writes fail.
func (m *memory) failTimes(n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = func() error {
		if n--; n >= 0 {
			return err
		}
		return nil
	}
}

// TestAConflictOfTheRemoval is retried at once, and delays no error.
func TestAConflictOfTheRemoval(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		bootstrapped(t, m)
		before := m.writes()
		m.failTimes(3, errConflict)
		p := m.start(t, components.Operator)
		assert.Len(t, m.conditions(), 2, "removed")
		assert.Equal(t, 4, m.writes()-before)
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(2*time.Minute + time.Second)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
	})
}

// TestAConflictOfTheApply is retried at the usual pace.
func TestAConflictOfTheApply(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.failTimes(1, errConflict)
		m.start(t, components.Operator)
		assert.Empty(t, m.conditions())
		pass(components.DefaultMinInterval)
		assert.Len(t, m.conditions(), 3)
	})
}

// unreadable is a client without the permission to read, which a removal needs.
type unreadable struct {
	*memory
	reads   atomic.Int32
	granted atomic.Bool
}

func (u *unreadable) Get(ctx context.Context, name string, options metav1.GetOptions) (*operatorv1.MachineConfiguration, error) {
	u.reads.Add(1)
	if u.granted.Load() {
		return u.memory.Get(ctx, name, options)
	}
	return nil, apierrors.NewForbidden(operatorv1.Resource("machineconfigurations"), "cluster", errors.New("no get"))
}

// TestAFailingRemoval is retried each MaxInterval, and delays nothing that can be applied.
func TestAFailingRemoval(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		bootstrapped(t, m)
		before := m.writes()
		client := &unreadable{memory: m}
		p := m.start(t, components.Operator, func(c *components.Config) { c.Client = client })
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(2*time.Minute + time.Second)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
		assert.Equal(t, 1, m.writes()-before)
		assert.Contains(t, m.requestsSince(m.writes() - 1)[0], bootstrap, "an apply without it might leave a partial entry")
		pass(57 * time.Minute)
		assert.EqualValues(t, 6, client.reads.Load(), "once each MaxInterval")
		assert.Equal(t, 1, m.writes()-before)

		client.granted.Store(true)
		pass(components.DefaultMaxInterval)
		assert.Len(t, m.conditions(), 2, "removed")
		assert.Equal(t, 2, m.writes()-before)
	})
}

// TestARemovalAndAnApply of one restart do not wait for each other.
func TestARemovalAndAnApply(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		bootstrapped(t, m)
		before := m.writes()
		var ready atomic.Bool
		p := m.start(t, components.Operator, func(c *components.Config) {
			c.Ready = func(*operatorv1.MachineConfiguration) bool { return ready.Load() }
		})
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(time.Hour)
		ready.Store(true)
		pass(components.DefaultMinInterval)
		requests := m.requestsSince(before)
		require.Len(t, requests, 2)
		assert.NotContains(t, strings.Join(requests, ""), bootstrap)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
		assert.Len(t, m.conditions(), 2)
	})
}

// TestAStaleConditionInARow is removed at most once each MaxInterval, and applied by nobody.
func TestAStaleConditionInARow(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		healthy(t, m)
		before := m.writes()
		for range 60 {
			m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
				if len(mc.Status.Conditions) == 6 {
					mc.Status.Conditions = append(mc.Status.Conditions, metav1.Condition{Type: bootstrap, Status: "False"})
				}
				return mc
			})
			pass(time.Minute)
		}
		assert.LessOrEqual(t, m.writes()-before, 7)
		pass(components.DefaultMaxInterval)
		assert.Len(t, m.conditions(), 6)
		for _, body := range m.requestsSince(before) {
			assert.NotContains(t, body, bootstrap)
		}
	})
}

// TestAFlushWhoseRemovalFails applies the others all the same.
func TestAFlushWhoseRemovalFails(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		bootstrapped(t, m)
		client := &unreadable{memory: m}
		r, err := components.New(components.Config{Client: client, Lister: m.lister(), Component: components.Operator})
		require.NoError(t, err)
		r.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(time.Hour)
		assert.True(t, apierrors.IsForbidden(r.Flush(t.Context())))
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
	})
}
