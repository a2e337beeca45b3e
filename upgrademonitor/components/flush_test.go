package components_test

import (
	"context"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestFlush(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		assert.Equal(t, 1, m.writes(), "the second waits for the limiter")
		require.NoError(t, p.Flush(t.Context()))
		require.NoError(t, p.Flush(t.Context()))
		assert.Equal(t, 2, m.writes())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, p.Flush(ctx), context.Canceled)
		p.stop()

		alone, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Controller})
		require.NoError(t, err)
		require.NoError(t, alone.Flush(t.Context()), "without Run")
		assert.Equal(t, 3, m.writes())
		m.failWith(apierrors.NewServiceUnavailable("down"))
		alone.Begin(components.MCCSync, "").End(nil)
		assert.True(t, apierrors.IsServiceUnavailable(alone.Flush(t.Context())))
	})
}

func TestClear(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		other := metav1.Condition{Type: "BootImageUpdateDegraded", Status: "False", Reason: "AsExpected", LastTransitionTime: metav1.Unix(1e9, 0)}
		m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			mc.Status.Conditions = append(mc.Status.Conditions, other)
			return mc
		})
		require.NoError(t, p.Clear(t.Context()))
		assert.Len(t, m.conditions(), 1)
		assert.True(t, other.LastTransitionTime.Equal(&m.conditions()[0].LastTransitionTime))
		before := m.writes()
		require.NoError(t, p.Clear(t.Context()), "again")
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		assert.Equal(t, before, m.writes(), "nothing is written any more")

		p.stop()
		conflicts := 3
		m.mu.Lock()
		m.fail = func() error {
			if conflicts--; conflicts >= 0 {
				return apierrors.NewConflict(operatorv1.Resource("machineconfigurations"), "cluster", nil)
			}
			return nil
		}
		m.mu.Unlock()
		p = m.start(t, components.Operator)
		pass(time.Hour)
		assert.Greater(t, len(m.conditions()), 1, "enabled again")
		conflicts = 3
		require.NoError(t, p.Clear(t.Context()))
		assert.Len(t, m.conditions(), 1)

		m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return nil })
		require.NoError(t, p.Clear(t.Context()), "no object")
	})
}

func TestClearLeavesNoEmptyList(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		require.NoError(t, p.Clear(t.Context()))
		assert.Contains(t, m.requestsSince(m.writes() - 1)[0], `"conditions":null`)
	})
}
