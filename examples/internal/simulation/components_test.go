package simulation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// minutesCluster returns a cluster on which minutes pass within moments.
func minutesCluster(t *testing.T) *Cluster {
	t.Helper()
	c, err := New(t.Context(), Options{Nodes: 1, Speed: 5000})
	require.NoError(t, err)
	return c
}

func TestAStepFailsAndRecovers(t *testing.T) {
	c := minutesCluster(t)
	var seen []string
	err := c.FailStep(t.Context(), components.OperatorSyncMCD, func(title string, list []metav1.Condition) error {
		entry := fmt.Sprintf("%s: %s", title, components.HealthOf(list, components.Operator))
		if fault, ok := components.MostRecentError(list); ok {
			assert.Equal(t, components.OperatorSyncMCD, fault.State)
			assert.Equal(t, errStep.Error(), fault.Message)
			entry += fmt.Sprintf(", resolved %t", fault.Resolved)
		}
		for _, other := range []components.Component{components.Controller, components.Daemon} {
			assert.Equal(t, components.Healthy, components.HealthOf(list, other))
		}
		seen = append(seen, entry)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"All components are healthy: Healthy",
		"The operator fails at OperatorSyncMCD: Unhealthy, resolved false",
		"The operator has recovered: Healthy, resolved true",
	}, seen)
}

func TestAFailedStepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupt := errors.New("interrupt")
	err := minutesCluster(t).FailStep(ctx, components.OperatorSyncMCD, func(string, []metav1.Condition) error {
		cancel(interrupt)
		return nil
	})
	assert.ErrorIs(t, err, interrupt)
}

func TestAFailedStepEndsWithItsDisplay(t *testing.T) {
	full := errors.New("no space left on device")
	err := minutesCluster(t).FailStep(t.Context(), components.OperatorSyncMCD, func(string, []metav1.Condition) error { return full })
	assert.ErrorIs(t, err, full)
}

func TestOperatorSteps(t *testing.T) {
	steps := OperatorSteps()
	assert.Subset(t, steps, []components.State{components.OperatorSyncMCP, components.OperatorSyncMCD})
	for _, s := range []components.State{components.OperatorSync, components.BootstrapProgression, components.MCCSync, components.MCCSyncMachineConfigPool} {
		assert.NotContains(t, steps, s)
	}
}
