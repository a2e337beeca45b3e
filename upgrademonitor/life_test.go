package upgrademonitor_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// When the last call has returned after the end of the life, the Monitor makes no request, even if the call has waited for
// a response or for the pause after a conflict.
func TestNoRequestFollowsTheLastCallAfterTheEndOfTheLife(t *testing.T) {
	for _, err := range []error{nil, errConflict} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(err)
			if err == nil {
				f.takes(hangs)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			go f.end()
			assert.Equal(t, 20*time.Millisecond, took(func() { f.Report(ctx, phases.Drained, "draining", metav1.ConditionUnknown) }))
			synctest.Wait()
			f.fails(nil)
			f.takes(0)
			f.requests()
			pass(time.Hour)
			assert.Empty(t, f.requests())
			f.log.take()
			require.NoError(t, f.Flush(t.Context()))
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
		})
	}
}

func TestACallDoesNotWaitForTimeoutIfTheLifeEndsBeforeItsFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 1000 {
			life, cancel := context.WithCancel(t.Context())
			m, err := upgrademonitor.New(life, upgrademonitor.Config{Client: clientsetOn(t, f), NodeName: nodeName, Node: f.view, Timeout: time.Hour})
			require.NoError(t, err)
			go cancel()
			m.ReportDegraded(ctx, nil)
			require.NoError(t, ctx.Err(), "the call must not wait for Timeout")
		}
	})
}

// After the end of the life, nothing retries a report, so its call waits for one attempt even in an outage.
func TestAReportWaitsForItsAttemptAfterTheLifeHasEndedInAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		f.end()
		f.fails(nil)
		f.report(t, phases.Cordoned, metav1.ConditionUnknown)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Cordoned))
	})
}

// If the request was canceled, the call might have no time for a second one.
func TestTheEndOfTheLifeCancelsNoRequestForWhichACallWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(2 * time.Second)
		time.AfterFunc(time.Second, f.end)
		assert.Equal(t, 2*time.Second, took(func() { f.report(t, phases.NodeDegraded, metav1.ConditionTrue) }))
		assert.Equal(t, []string{"patch/status"}, f.requests())
	})
}

func TestNoRequestFollowsTheRequestInFlightIfTheLastCallerLeavesAfterTheEndOfTheLife(t *testing.T) {
	for name, tc := range map[string]struct {
		hangs []string
		call  func(*testing.T, *fixture, context.Context)
	}{
		"two reports": {nil, func(_ *testing.T, f *fixture, ctx context.Context) {
			go f.Report(ctx, phases.Drained, "draining", metav1.ConditionUnknown)
			pass(time.Second)
			f.Report(ctx, phases.Cordoned, "cordoning", metav1.ConditionUnknown)
		}},
		"a spec call": {[]string{"patch"}, func(t *testing.T, f *fixture, ctx context.Context) {
			f.annotate(oldConfig, newConfig)
			assert.Error(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *fixture) {
				f.end()
				synctest.Wait()
				f.takes(hangs, tc.hangs...)
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
				defer cancel()
				tc.call(t, f, ctx)
				synctest.Wait()
				assert.Contains(t, strings.Join(f.log.take(), ""), "call Flush")
				f.recovers()
				pass(time.Hour)
				assert.Len(t, f.requests(), 1)
				assert.Empty(t, f.log.take())
			})
		})
	}
}

func TestShortFlushesWriteEverythingToASlowServerAfterTheEndOfTheLife(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.end()
		f.takes(12 * time.Second)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		f.queues(t, phases.Drained, metav1.ConditionTrue)
		flushes := 0
		for ; f.pending() > 0 && flushes < 100; flushes++ {
			_ = f.flushFor(t, 3*time.Second)
		}
		assert.Less(t, flushes, 30)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Drained))
	})
}

func TestATimerFromBeforeTheEndOfTheLifeCancelsNoRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		pass(5 * time.Second) // the next look is due in 5 seconds
		f.end()
		synctest.Wait()
		f.takes(6 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		f.Report(ctx, phases.Drained, "draining", metav1.ConditionUnknown)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
	})
}

// If the life ends during a look, the look queues nothing, because nothing would retry it.
func TestALookDuringWhichTheLifeEndsQueuesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.calls(func() { <-time.After(time.Second) })
		f.annotate(newConfig, newConfig)
		pass(10*time.Second + time.Second/2)
		f.end()
		pass(time.Hour)
		assert.Zero(t, f.pending())
		assert.Empty(t, f.log.take())
	})
}
