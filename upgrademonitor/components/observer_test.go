package components_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

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
		p.Begin(components.OperatorSyncMCD, "").End(nil)
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, operatorDegraded).Status, "stopping the process is not a failure")
		assert.Equal(t, []string{
			"OperatorSyncMCD ok", "OperatorSyncMCD timed out waiting for the daemons", "OperatorSyncMCP stopped: context canceled", "OperatorSyncMCD ok",
		}, o.left)
		assert.Equal(t, 4, o.entered)
		assert.Equal(t, m.writes(), o.wrote)
	})
}

// recorder is an Observer that records its calls.
type recorder struct {
	mu             sync.Mutex
	entered, wrote int
	left, healths  []string
}

func (o *recorder) Entered(components.Component, components.State) { o.with(func() { o.entered++ }) }
func (o *recorder) Wrote(time.Duration, error)                     { o.with(func() { o.wrote++ }) }
func (o *recorder) HealthChanged(c components.Component, h components.Health) {
	o.with(func() { o.healths = append(o.healths, fmt.Sprint(c, " ", h)) })
}
func (o *recorder) Left(_ components.Component, s components.State, _ time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = err.Error()
	}
	o.with(func() { o.left = append(o.left, fmt.Sprint(s, " ", outcome)) })
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
		require.NoError(t, p.Judge(components.Controller, condition(typeOf(components.Controller, components.Available), yes)))
		require.NoError(t, controller.Judge(components.Operator, condition(typeOf(components.Operator, components.Available), yes)))
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
