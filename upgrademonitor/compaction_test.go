package upgrademonitor_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// A chatty retry loop in an outage does not fill the queue.
func TestChattyRetryLoopLosesNoStep(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	down := f.outage(errDown)
	f.annotate(oldConfig, newConfig)
	for range 300 { // repeated by a sync loop
		_ = f.tryReport(t, phases.Updated, metav1.ConditionFalse)
	}
	err := f.tryReport(t, phases.UpdatePrepared, metav1.ConditionTrue)
	assert.NotErrorIs(t, err, upgrademonitor.ErrQueueFull)
	down.Store(false)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.UpdatePrepared).Status)
}

// finalOf returns the conditions after some reports, with or without an outage meanwhile.
func finalOf(t *testing.T, outage bool, steps func(f *fixture)) []metav1.Condition {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	var down *atomic.Bool
	if outage {
		down = f.outage(errDown)
		_ = f.ReportDegraded(t.Context(), errors.New("head"))
	}
	steps(f)
	for i := range 66 {
		_ = f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i))
	}
	_ = f.tryReport(t, phases.Resumed, metav1.ConditionTrue)
	if down != nil {
		down.Store(false)
	}
	require.NoError(t, f.Flush(t.Context()))
	return f.object(t).Status.Conditions
}

func TestCompactionKeepsACompletedParent(t *testing.T) {
	steps := func(f *fixture) {
		_ = f.GenerateAndApplyMachineConfigNode(t.Context(), phases.AppliedFilesAndOS, "A", "a", metav1.ConditionTrue, upgrademonitor.CompletesParent())
		_ = f.GenerateAndApplyMachineConfigNode(t.Context(), phases.AppliedFilesAndOS, "A", "a, and more", metav1.ConditionTrue)
	}
	want, got := finalOf(t, false, steps), finalOf(t, true, steps)
	assert.Equal(t, conditions.StatusOf(want, phases.UpdateExecuted), conditions.StatusOf(got, phases.UpdateExecuted))
}

func TestCompactionClaimsNothingDone(t *testing.T) {
	steps := func(f *fixture) {
		for _, s := range []struct {
			p phases.Phase
			s metav1.ConditionStatus
		}{{phases.Drained, "True"}, {phases.UpdateExecuted, "True"}, {phases.Drained, "Unknown"}, {phases.Drained, "True"}} {
			_ = f.tryReport(t, s.p, s.s)
		}
	}
	want, got := finalOf(t, false, steps), finalOf(t, true, steps)
	assert.Equal(t, conditions.StatusOf(want, phases.UpdateExecuted), conditions.StatusOf(got, phases.UpdateExecuted))
}

// Many callers give up at once: what they repeat makes room for the next one.
func TestManyCallersOfAHangingServer(t *testing.T) {
	node := annotated(oldConfig, newConfig)
	m := monitorOn(t, roundTripper(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}), &node, func(c *upgrademonitor.Config) { c.Timeout = time.Second })
	report := func() error {
		return m.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "NodeDegraded", "cause", metav1.ConditionTrue)
	}
	var callers sync.WaitGroup
	for range 300 { // more than a queue keeps of those that gave up
		callers.Go(func() {
			err := report()
			assert.ErrorIs(t, err, upgrademonitor.ErrPending)
			assert.NotErrorIs(t, err, upgrademonitor.ErrQueueFull)
		})
	}
	callers.Wait()
	err := report()
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	require.NotErrorIs(t, err, upgrademonitor.ErrQueueFull)
}
