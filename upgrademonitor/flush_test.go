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

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func TestFlushRetriesUntilEverythingIsWrittenOrItsCtxEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		require.NoError(t, f.Flush(t.Context()), "Flush makes no request if nothing is pending and the configs of the Node are written")
		f.annotate(newConfig, newConfig)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current, "Flush writes the configs of the Node")
		assert.Equal(t, []string{"patch/status"}, f.requests())

		f.fails(errDown)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := f.Flush(ctx)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.True(t, apierrors.IsServiceUnavailable(err), "the error must wrap the error of the last request: %v", err)
		f.requests()
		require.ErrorIs(t, f.Flush(ctx), upgrademonitor.ErrPending)
		synctest.Wait()
		assert.Empty(t, f.requests(), "Flush starts no attempt if its ctx has ended")
		time.AfterFunc(time.Minute, func() { f.fails(nil) })
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
	})
}

func TestFlushRestoresTheConfigsThatAnotherClientHasWritten(t *testing.T) {
	var cache lister
	inBubble(t, func(t *testing.T, f *fixture) {
		f.write(t, "status", func(m *mcfgv1.MachineConfigNode) { m.Status.ConfigVersion.Current = newConfig })
		cache.show(f.object())
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, oldConfig, f.object().Status.ConfigVersion.Current)
	}, cache.use)
}

// If the API server rejects a pending report, Flush returns the error, which is also logged. The other reports are written.
func TestFlushReturnsTheErrorOfAReportThatIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		f.queues(t, phases.Cordoned, metav1.ConditionUnknown)
		f.failing("patch", errInvalid)
		err := f.Flush(t.Context())
		assert.True(t, apierrors.IsInvalid(err), "%v", err)
		require.NotErrorIs(t, err, upgrademonitor.ErrPending)
		assert.Contains(t, strings.Join(f.log.take(), ""), "Dropped an accepted change")
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Cordoned), "the other reports are written")
		require.NoError(t, f.Flush(t.Context()))

		f.annotate(newConfig, newConfig)
		f.failing("patch", errInvalid)
		assert.True(t, apierrors.IsInvalid(f.Flush(t.Context())), "Flush also returns the error if the configs of the Node are rejected")
		assert.Contains(t, strings.Join(f.log.take(), ""), "Dropped an accepted change")
	})
}

// If the ctx of New ends during a Flush in an outage, Flush still retries until everything is written.
func TestFlushWritesEverythingAfterTheCtxOfNewHasEnded(t *testing.T) {
	for _, err := range []error{errDown, errConflict} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(err)
			f.queues(t, phases.Drained, metav1.ConditionUnknown)
			time.AfterFunc(3*time.Second, f.end)
			time.AfterFunc(10*time.Second, func() { f.fails(nil) })
			require.NoError(t, f.flushFor(t, time.Minute))
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
			assert.NotContains(t, strings.Join(f.log.take(), ""), "call Flush")

			f.fails(err)
			f.requests()
			f.queues(t, phases.Drained, metav1.ConditionTrue)
			pass(time.Hour)
			n := len(f.requests())
			if errors.Is(err, errDown) {
				assert.Equal(t, 1, n, "after the ctx of New has ended, a call makes one attempt")
			}
			assert.Less(t, n, 100, "conflicts are retried with pauses")
		})
	}
}

// After the ctx of New has ended, an idle Monitor neither looks at the Node nor logs.
func TestAnIdleMonitorHasNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32
		s := newServer()
		var log logLines
		life, end := context.WithCancel(log.context(t.Context()))
		defer end()
		for i := range 200 {
			config := upgrademonitor.Config{Client: clientsetOn(t, s), NodeName: nodeNames(i), Node: func() (*corev1.Node, error) {
				looks.Add(1)
				return namedNode(nodeNames(i))
			}}
			monitor, err := upgrademonitor.New(map[bool]context.Context{true: life, false: log.context(t.Context())}[i%2 == 0], config)
			require.NoError(t, err)
			monitor.ReportDegraded(t.Context(), errDown)
		}
		end()
		synctest.Wait()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		assert.NotContains(t, string(stacks), "upgrademonitor.(*Monitor)")
		pass(11 * time.Second)
		assert.EqualValues(t, 200+200+100, looks.Load(), "200 looks of reports, 200 before the creations, and 100 of idle Monitors whose ctx has not ended")
		assert.Empty(t, log.take())
	})
}

// Flush returns nil only if the status has the configs of the Node, so it looks at the Node even if its ctx has ended.
func TestFlushLooksAtTheNodeEvenIfItsCtxHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("reboot"))
		require.NoError(t, f.Flush(ctx), "nothing is left to write")
		f.viewFails(errDown)
		require.ErrorIs(t, f.Flush(ctx), upgrademonitor.ErrPending)
		f.viewFails(nil)
		f.annotate(newConfig, newConfig)
		err := f.Flush(ctx)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorIs(t, err, context.Canceled, "Flush returns the error of a ctx that has another cause")
		require.ErrorContains(t, err, "no response from the API server")
		synctest.Wait()
		assert.Empty(t, f.requests())
		pass(11 * time.Second)
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
	})
}

func TestALostResponseDelaysFlushByOneTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.annotate(newConfig, newConfig)
		f.takes(hangs)
		time.AfterFunc(time.Second, f.heals)
		assert.Equal(t, timeout, took(func() { require.NoError(t, f.flushFor(t, 55*time.Second)) }))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
	})
}

// Each Flush may cancel one overdue request. After a success, another Flush may cancel again.
func TestFlushCancelsAgainAfterASuccess(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		for _, config := range []string{newConfig, thirdConfig} {
			f.takes(hangs) // the write of the look that is due now must hang, too
			f.annotate(config, config)
			time.AfterFunc(time.Second, f.heals)
			assert.Equal(t, timeout, took(func() { require.NoError(t, f.flushFor(t, time.Minute)) }))
		}
	})
}

// Each Flush may cancel one overdue request. After another request has failed by itself, another Flush may cancel again.
func TestFlushCancelsAgainAfterAFailure(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(hangs)
		f.queues(t, phases.Drained, metav1.ConditionUnknown) // takes one Timeout
		require.ErrorIs(t, f.flushFor(t, time.Second), upgrademonitor.ErrPending)
		pass(34 * time.Second) // the second request has failed after 2×Timeout, and the third is overdue
		f.heals()
		require.NoError(t, f.flushFor(t, time.Second))
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
	})
}

// If Flush canceled each request, an API server that needs longer than Timeout would never get the reports.
func TestFlushDoesNotCancelTwoRequestsInARow(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(12 * time.Second)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		for range 6 {
			_ = f.flushFor(t, timeout)
		}
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
		assert.Zero(t, f.pending())
	})
}
