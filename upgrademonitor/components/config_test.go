package components_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestInvalidConfigs(t *testing.T) {
	m := newMemory()
	for name, tc := range map[string]struct {
		change func(*components.Config)
		field  string
	}{
		"no client":                 {func(c *components.Config) { c.Client = nil }, "Client"},
		"a typed nil client":        {func(c *components.Config) { c.Client = (*memory)(nil) }, "Client"},
		"no lister":                 {func(c *components.Config) { c.Lister = nil }, "Lister"},
		"no component":              {func(c *components.Config) { c.Component = "" }, "Component"},
		"a daemon":                  {func(c *components.Config) { c.Component = components.Daemon }, "Component"},
		"the other's field manager": {func(c *components.Config) { c.FieldManager = "machine-config-controller-state" }, "FieldManager"},
		"the operator's, a controller": {func(c *components.Config) {
			c.Component, c.FieldManager = components.Controller, "machine-config-operator-state"
		}, "FieldManager"},
	} {
		t.Run(name, func(t *testing.T) {
			config := components.Config{Client: m, Lister: m.lister(), Component: components.Operator}
			tc.change(&config)
			_, err := components.New(config)
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, "components.Config."+tc.field, invalid.Field)
		})
	}
	_, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Operator, MinInterval: time.Hour,
		DegradedInertia: -1, ProgressingAfter: -1, MaxInterval: -1, Timeout: -1})
	assert.NoError(t, err, "MaxInterval is raised, and what is negative is the default")
	assert.Zero(t, m.writes()+m.gets)
}

func TestInvalidLeaseConfigs(t *testing.T) {
	set := func(components.Component, ...metav1.Condition) error { return nil }
	for name, tc := range map[string]struct {
		change func(*components.LeaseConfig)
		field  string
	}{
		"no client":    {func(c *components.LeaseConfig) { c.Client = nil }, "Client"},
		"no function":  {func(c *components.LeaseConfig) { c.SetPeerConditions = nil }, "SetPeerConditions"},
		"no component": {func(c *components.LeaseConfig) { c.Component = "" }, "Component"},
	} {
		t.Run(name, func(t *testing.T) {
			config := components.LeaseConfig{Client: &leases{}, SetPeerConditions: set, Component: components.Controller}
			tc.change(&config)
			_, err := components.NewLeaseWatch(config)
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, "components.LeaseConfig."+tc.field, invalid.Field)
		})
	}
}

func TestInvalidPeerConditions(t *testing.T) {
	m := newMemory()
	operator, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Operator})
	require.NoError(t, err)
	controller, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Controller})
	require.NoError(t, err)
	valid := condition(daemonAvailable, yes)
	for name, tc := range map[string]struct {
		reporter  *components.Reporter
		component components.Component
		condition metav1.Condition
		want      string
	}{
		"of itself":                  {operator, components.Operator, condition(operatorDegraded, no), "is not reported by MachineConfigOperator"},
		"of the bootstrap":           {operator, components.Bootstrap, condition(bootstrap, no), "is not reported"},
		"of an unknown component":    {operator, "MachineConfigServer", valid, "is not reported"},
		"by the wrong process":       {controller, components.Daemon, valid, "is not reported by MachineConfigController"},
		"a type of another":          {operator, components.Controller, valid, "conditions[0].type: Unsupported value"},
		"a type of its own":          {operator, components.Controller, condition("MachineConfigControllerDegraded", no), "conditions[0].type"},
		"an unknown type":            {controller, components.Operator, condition("Upgradeable", yes), "conditions[0].type"},
		"no status":                  {operator, components.Daemon, metav1.Condition{Type: daemonAvailable, Reason: "A"}, "conditions[0].status"},
		"no reason":                  {operator, components.Daemon, metav1.Condition{Type: daemonAvailable, Status: yes}, "conditions[0].reason"},
		"a reason that is a message": {operator, components.Daemon, metav1.Condition{Type: daemonAvailable, Status: yes, Reason: "a b"}, "conditions[0].reason"},
		"a huge reason":              {operator, components.Daemon, metav1.Condition{Type: daemonAvailable, Status: yes, Reason: strings.Repeat("a", 1025)}, "conditions[0].reason"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.reporter.SetPeerConditions(tc.component, tc.condition)
			assert.ErrorContains(t, err, tc.want)
		})
	}
	assert.NoError(t, operator.SetPeerConditions(components.Daemon))
}

type badError struct{ text *string }

func (e *badError) Error() string { return *e.text }

// TestBadInput: whatever the process reports, its work continues, and the writes are valid.
func TestBadInput(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.start(t, components.Operator)
		before := m.writes()
		for range 3 {
			p.Begin("OperatorSyncEverything", "").End(errDaemons)
			p.Begin(components.MCCSync, "").End(errDaemons) // of the controller
			p.Begin(components.State(strings.Repeat("a", 1<<20)), "").End(errDaemons)
			p.Forget("OperatorSyncEverything", "")
		}
		pass(time.Hour)
		assert.Equal(t, before, m.writes(), "these are ignored")

		var typedNil *badError
		p.Begin(components.OperatorSyncMCD, strings.Repeat("key\n", 1<<18)).End(errors.New(strings.Repeat("line <\xff>\n", 1<<18)))
		p.Begin(components.OperatorSyncMCP, "\xff").End(typedNil)
		p.Begin(components.OperatorSyncMCN, "").End(&badError{})
		for i := range 100 {
			p.Begin(components.OperatorSyncMCPRequired, fmt.Sprint("never ends ", i))
			p.Begin(components.OperatorSyncMCC, fmt.Sprint("key ", i)).End(errDaemons)
		}
		assert.PanicsWithValue(t, "broken", func() {
			_ = p.Track(t.Context(), components.OperatorSync, "", func(context.Context) error { panic("broken") })
		})
		assert.ErrorContains(t, p.Track(t.Context(), components.OperatorSync, "", nil), "work is nil")
		pass(time.Hour)
		degraded := m.condition(t, operatorDegraded)
		assert.Equal(t, yes, degraded.Status)
		assert.Contains(t, degraded.Message, "; and 62 more")
		assert.NotContains(t, fmt.Sprint(m.conditions()), "\n")
		assert.Equal(t, yes, m.condition(t, operatorProgressing).Status)
		for _, body := range m.requestsSince(before) {
			assert.LessOrEqual(t, len(body), 8<<10)
		}
	})
}
