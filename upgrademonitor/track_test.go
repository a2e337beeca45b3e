package upgrademonitor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

func TestTrackReturnsTheWorksOwnError(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	stuck := errors.New("pod web-0 cannot be evicted")
	err := f.Track(t.Context(), phases.Drained, "Draining node", func(context.Context) error { return stuck })
	require.Equal(t, stuck, err)
	for _, p := range []phases.Phase{phases.Drained, phases.UpdateExecuted} {
		failed := f.condition(t, p)
		assert.Equal(t, metav1.ConditionUnknown, failed.Status, p)
		assert.Equal(t, "Draining node: pod web-0 cannot be evicted", failed.Message, p)
	}
	assert.Equal(t, "RebootedNode", reasonOf(t, f, phases.RebootedNode), "a parent's reason is its name")
}

func reasonOf(t *testing.T, f *fixture, p phases.Phase) string {
	t.Helper()
	require.NoError(t, f.Track(t.Context(), p, "", func(context.Context) error { return nil }))
	return f.condition(t, p).Reason
}

func TestTrackWorksWhateverBecomesOfItsReports(t *testing.T) {
	for name, tc := range map[string]struct {
		phase    phases.Phase
		sabotage func(*fixture)
	}{
		"unknown phase": {"Rested", func(*fixture) {}},
		"no API server": {phases.Drained, func(f *fixture) { f.outage(errDown) }},
		"no node":       {phases.Drained, func(f *fixture) { f.nodeErr = errors.New("cache is cold") }},
	} {
		inBubble(t, func(t *testing.T) {
			f := newFixture(t)
			tc.sabotage(f)
			worked := false
			require.NoError(t, f.Track(t.Context(), tc.phase, "working", func(context.Context) error {
				worked = true
				return nil
			}), name)
			assert.True(t, worked, name)
		})
	}
}

func TestTrackReportsWorkThatWasCancelled(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := f.Track(ctx, phases.Drained, "Draining node", func(ctx context.Context) error {
		cancel()
		return ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "Draining node: context canceled", f.condition(t, phases.Drained).Message)
}

func TestTrackWithoutWork(t *testing.T) {
	f := newFixture(t)
	require.Error(t, f.Track(t.Context(), phases.Drained, "Draining node", nil))
	assert.Empty(t, f.requests())
}

// During a retry the error of the last attempt stays visible, until the outcome of this attempt.
func TestTrackKeepsTheLastError(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	stuck := errors.New("pod web-0 cannot be evicted")
	drain := func(err error) func(context.Context) error {
		return func(context.Context) error {
			for _, p := range []phases.Phase{phases.Drained, phases.UpdateExecuted} {
				if c := f.condition(t, p); err == nil {
					assert.Equal(t, "Draining node: pod web-0 cannot be evicted", c.Message)
				}
			}
			return err
		}
	}
	require.Equal(t, stuck, f.Track(t.Context(), phases.Drained, "Draining node", drain(stuck)))
	f.requests()
	require.NoError(t, f.Track(t.Context(), phases.Drained, "Draining node", drain(nil)))
	assert.Equal(t, "Draining node", f.condition(t, phases.Drained).Message)

	f.annotate(oldConfig, newConfig) // an update that nobody announced starts, although UpdatePrepared is Unknown already
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, thirdConfig)
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	require.NoError(t, f.Track(t.Context(), phases.UpdatePrepared, "Preparing", func(context.Context) error {
		assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.Cordoned).Status)
		return nil
	}))
}
