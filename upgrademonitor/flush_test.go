package upgrademonitor_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Flush retries until everything is written, or its ctx ends.
func TestFlush(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		require.NoError(t, f.Flush(t.Context()), "nothing is pending")
		f.annotate(newConfig, newConfig)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current, "the versions follow the Node")
		assert.Equal(t, []string{"patch/status"}, f.requests())

		f.fails(errDown)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := f.Flush(ctx)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.True(t, apierrors.IsServiceUnavailable(err), "the cause: %v", err)
		f.requests()
		require.ErrorIs(t, f.Flush(ctx), upgrademonitor.ErrPending)
		synctest.Wait()
		assert.Empty(t, f.requests(), "no attempt for a ctx that has ended")
		time.AfterFunc(time.Minute, func() { f.fails(nil) })
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
	})
}

// If a report is dropped during a Flush, Flush returns its error, and the error is logged.
func TestFlushOfAReportThatIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		f.report(t, phases.Cordoned, metav1.ConditionUnknown)
		f.failing("patch", errInvalid)
		err := f.Flush(t.Context())
		assert.True(t, apierrors.IsInvalid(err), "%v", err)
		require.NotErrorIs(t, err, upgrademonitor.ErrPending)
		assert.Contains(t, strings.Join(f.log.take(), ""), "Dropped an accepted change")
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Cordoned), "the rest is written")
		require.NoError(t, f.Flush(t.Context()))
	})
}

// Flush and the spec call return when their own writes are done, whatever is pending after them.
func TestWaitingEndsWithTheWrite(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(2 * time.Second)
		go f.ReportDegraded(t.Context(), errDown)
		synctest.Wait()
		flushed := make(chan time.Duration)
		go func() { flushed <- took(func() { assert.NoError(t, f.Flush(t.Context())) }) }()
		synctest.Wait()
		go f.ReportDegraded(t.Context(), nil)
		synctest.Wait()
		f.annotate(oldConfig, newConfig)
		assert.Equal(t, 4*time.Second, took(func() { assert.NoError(t, f.syncSpec(t)) }), "the first status, then the spec")
		assert.Equal(t, 2*time.Second, <-flushed)
	})
}

// After the end of its life a Monitor neither retries nor looks. The request in flight ends without
// a log line; if something is pending, that is logged once. A call makes one attempt, and Flush
// retries until its own ctx ends.
func TestTheEndOfLife(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(hangs)
		returned := make(chan time.Duration, 1)
		go func() {
			returned <- took(func() { f.Report(t.Context(), phases.Drained, "draining", metav1.ConditionUnknown) })
		}()
		pass(3 * time.Second)
		assert.Empty(t, f.log.take())
		f.end()
		assert.Equal(t, 3*time.Second, <-returned)
		synctest.Wait()
		lines := f.log.take()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], "call Flush")

		f.takes(0)
		f.annotate(newConfig, newConfig)
		pass(time.Hour)
		assert.Empty(t, f.requests())
		f.takes(hangs)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		assert.Equal(t, 2*time.Second, took(func() {
			require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Cordoned, "R", "", metav1.ConditionTrue))
		}))
		synctest.Wait()
		assert.LessOrEqual(t, runtime.NumGoroutine(), 10, "the request has ended with the call")

		time.AfterFunc(30*time.Second, f.recovers)
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, f.Flush(ctx))
		f.report(t, phases.Drained, metav1.ConditionTrue)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Cordoned))
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Drained))
		f.requests()
		pass(time.Hour)
		assert.Empty(t, f.requests())
	})
}

// If the life ends in an outage, a Flush that runs then, or later, writes everything.
func TestTheLifeEndsDuringFlush(t *testing.T) {
	for _, err := range []error{errDown, errConflict} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(err)
			f.report(t, phases.Drained, metav1.ConditionUnknown)
			time.AfterFunc(3*time.Second, f.end)
			time.AfterFunc(5*time.Second, func() {
				f.ReportDegraded(t.Context(), errDown) // Flush does not wait for it
			})
			time.AfterFunc(10*time.Second, func() { f.fails(nil) })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.NoError(t, f.Flush(ctx))
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
			assert.NotContains(t, strings.Join(f.log.take(), ""), "call Flush")

			synctest.Wait() // for the other report
			f.fails(err)
			f.requests()
			f.report(t, phases.Drained, metav1.ConditionTrue)
			pass(time.Hour)
			n := len(f.requests())
			if errors.Is(err, errDown) {
				assert.Equal(t, 1, n, "a call makes one attempt")
			}
			assert.Less(t, n, 100, "no conflict is retried without a pause")
		})
	}
}

// An idle Monitor has no goroutine. A Monitor that was forgotten has no timer either, and logs
// nothing.
func TestIdleMonitors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32
		monitors, log := newMonitors(t, newServer(), func(name string) (*corev1.Node, error) {
			looks.Add(1)
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
		})
		before := runtime.NumGoroutine()
		for i := range 200 {
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), nil)
		}
		synctest.Wait()
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
		for i := range 200 {
			if i%2 == 0 {
				monitors.Forget(nodeNames(i))
			}
		}
		pass(11 * time.Second)
		assert.EqualValues(t, 300, looks.Load())
		assert.Empty(t, log.take())
	})
}

// A Monitor whose life has ended works.
func TestALifeThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.end()
		synctest.Wait()
		f.report(t, phases.Updated, metav1.ConditionTrue)
		require.NoError(t, f.syncSpec(t))
		assert.Empty(t, f.log.take())
	})
}
