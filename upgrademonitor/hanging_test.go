package upgrademonitor_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The reactors of a fake clientset do not get the context.
func TestReactorThatBlocks(t *testing.T) {
	f := newFixture(t, func(c *upgrademonitor.Config) { c.Timeout = 20 * time.Millisecond })
	release := make(chan struct{})
	f.clientset.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		<-release
		return false, nil, nil
	})
	for range 3 { // or the test's own limit says that it did not return
		require.NoError(t, f.tryReport(t, phases.NodeDegraded, metav1.ConditionTrue))
	}
	ended, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := f.Flush(ended)
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(release)
	require.NoError(t, f.Flush(t.Context()))
}

func TestRefusalCreatesNothing(t *testing.T) {
	f := newFixture(t)
	f.clientset.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		assert.Fail(t, "created")
		return false, nil, nil
	})
	err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "", metav1.ConditionUnknown)
	var refused *phases.TransitionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, metav1.ConditionUnknown, refused.To)
}
