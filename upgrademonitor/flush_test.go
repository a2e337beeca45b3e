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

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Flush tries until everything is written, or its context ends.
func TestFlush(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		require.NoError(t, f.Flush(t.Context()), "nothing is pending")
		down := f.outage(errDown)
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
		assert.Empty(t, f.requests(), "no attempt for a context that has ended")
		time.AfterFunc(time.Minute, func() { down.Store(false) })
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
	})
}

// Flush returns the error of a report that is dropped meanwhile. The log has it, too.
func TestFlushOfAReportThatIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		f.report(t, phases.Cordoned, metav1.ConditionUnknown)
		down.Store(false)
		f.failing("patch", apierrors.NewInvalid(kind, nodeName, nil))
		err := f.Flush(t.Context())
		assert.True(t, apierrors.IsInvalid(err), "%v", err)
		require.NotErrorIs(t, err, upgrademonitor.ErrPending)
		assert.Contains(t, strings.Join(f.log.take(), ""), "Dropped an accepted change")
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Cordoned).Status, "the rest is written")
		require.NoError(t, f.Flush(t.Context()))
	})
}

// Flush and the spec call return when their own writes are done, whatever is pending after them.
func TestWaitingEndsWithTheWrite(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(2 * time.Second)
		go s.ReportDegraded(t.Context(), errors.New("first"))
		synctest.Wait()
		flushed := make(chan time.Duration)
		go func() { flushed <- took(func() { assert.NoError(t, s.Flush(t.Context())) }) }()
		synctest.Wait()
		go s.ReportDegraded(t.Context(), nil)
		synctest.Wait()
		s.annotate(oldConfig, newConfig)
		assert.Equal(t, 4*time.Second, took(func() { assert.NoError(t, s.GenerateAndApplyMachineConfigNodeSpec(t.Context())) }), "the first status, then the spec")
		assert.Equal(t, 2*time.Second, <-flushed)
	})
}

// Flush looks at the Node first: a Node that has just been provisioned does not wait for the next look.
func TestFlushLooksFirst(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.node.Status.Phase = corev1.NodePending
		f.report(t, phases.Resumed, metav1.ConditionTrue)
		pass(time.Hour)
		f.becomes(func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, nil)
		assert.Zero(t, took(func() { require.NoError(t, f.Flush(t.Context())) }))
	})
}

// The versions in the status follow the Node before the process exits.
func TestFlushFollowsTheNode(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(newConfig, newConfig)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, newConfig, f.object(t).Status.ConfigVersion.Current)
	require.NoError(t, f.Flush(t.Context()))
	assert.Empty(t, f.requests())
}

// A function of Config that panics in Flush is the caller's, who may recover.
func TestFlushPanicsInItsCaller(t *testing.T) {
	panics := false
	f := newFixture(t, func(c *upgrademonitor.Config) {
		node := c.Node
		c.Node = func() (*corev1.Node, error) {
			if panics {
				panic("broken")
			}
			return node()
		}
	})
	panics = true
	assert.Panics(t, func() { _ = f.Flush(t.Context()) })
	panics = false
	f.report(t, phases.Drained, metav1.ConditionUnknown)
}

// After the end of its life a Monitor neither retries nor looks. The request in flight ends without
// a log line; the log says what to do once, if something is pending. A call makes one attempt, and
// Flush retries until its own ctx ends.
func TestTheEndOfLife(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(hangs)
		returned := make(chan time.Duration, 1)
		go func() {
			returned <- took(func() { s.Report(t.Context(), phases.Drained, "draining", metav1.ConditionUnknown) })
		}()
		pass(3 * time.Second)
		assert.Empty(t, s.log.take())
		s.end()
		assert.Equal(t, 3*time.Second, <-returned)
		synctest.Wait()
		lines := s.log.take()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], "call Flush")

		s.takes(0)
		s.annotate(newConfig, newConfig)
		pass(time.Hour)
		assert.Empty(t, s.requests())
		s.takes(hangs)
		started := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		require.NoError(t, s.GenerateAndApplyMachineConfigNode(ctx, phases.Cordoned, "R", "", metav1.ConditionTrue))
		synctest.Wait()
		assert.Equal(t, 2*time.Second, time.Since(started))
		assert.LessOrEqual(t, runtime.NumGoroutine(), 10, "the request has ended with the call")

		time.AfterFunc(30*time.Second, s.recovers)
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, s.Flush(ctx))
		assert.Equal(t, metav1.ConditionTrue, s.status(phases.Cordoned))
		s.tell(t, phases.Drained, metav1.ConditionTrue)
		assert.Equal(t, metav1.ConditionTrue, s.status(phases.Drained))
		s.requests()
		pass(time.Hour)
		assert.Empty(t, s.requests())
	})
}

// Whenever the life ends in an outage, a Flush that runs then, or later, writes everything.
func TestTheLifeEndsDuringFlush(t *testing.T) {
	for _, err := range []error{errDown, conflict} {
		inBubble(t, func(t *testing.T) {
			f := newFixture(t)
			f.reportUpdated(t)
			down := f.outage(err)
			f.report(t, phases.Drained, metav1.ConditionUnknown)
			time.AfterFunc(3*time.Second, f.end)
			time.AfterFunc(5*time.Second, func() {
				f.ReportDegraded(t.Context(), errDown) // its end is not Flush's
			})
			time.AfterFunc(10*time.Second, func() { down.Store(false) })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.NoError(t, f.Flush(ctx))
			assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
			assert.NotContains(t, strings.Join(f.log.take(), ""), "call Flush")

			synctest.Wait() // for the report that is not Flush's
			down.Store(true)
			f.requests()
			f.report(t, phases.Drained, metav1.ConditionTrue)
			pass(time.Hour)
			if errors.Is(err, errDown) {
				assert.Len(t, f.requests(), 1, "a call makes one attempt")
			}
			assert.Less(t, len(f.requests()), 100, "no conflict is retried without a pause")
		})
	}
}

// A Monitor can be created with a ctx that has ended.
func TestALifeThatHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t, func(*upgrademonitor.Config) {})
		f.end()
		synctest.Wait()
		f.report(t, phases.Updated, metav1.ConditionTrue)
		require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		assert.Empty(t, f.log.take())
	})
}

// An idle Monitor has no goroutine; a forgotten Monitor has no timer either, and Forget is not logged.
func TestIdleMonitorsHaveNoGoroutine(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var log logLines
		clientset := mcfgfake.NewClientset()
		var looks atomic.Int32
		monitors, err := upgrademonitor.NewMonitors(log.context(t.Context()), upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
			looks.Add(1)
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
		})
		require.NoError(t, err)
		before := runtime.NumGoroutine()
		for i := range 1000 {
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), nil)
		}
		synctest.Wait()
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
		pass(11 * time.Second)
		assert.EqualValues(t, 2000, looks.Load())
		for i := range 1000 {
			monitors.Forget(nodeNames(i))
		}
		pass(time.Hour)
		assert.EqualValues(t, 2000, looks.Load())
		assert.Empty(t, log.take())
	})
}

// The gauge of all nodes: how many reports are pending, and since when.
func TestPendingOfMonitors(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.outage(errDown)
		monitors, err := upgrademonitor.NewMonitors(t.Context(), upgrademonitor.Config{Client: f.clientset, Clock: f.clock}, func(name string) (*corev1.Node, error) {
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
		})
		require.NoError(t, err)
		n, since := monitors.Pending()
		assert.Zero(t, n)
		assert.True(t, since.IsZero())
		for i := range 3 {
			f.clock.SetTime(start.Add(time.Duration(-i) * time.Minute))
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), errDown)
			monitors.For(nodeNames(i)).ReportDegraded(t.Context(), nil)
		}
		n, since = monitors.Pending()
		assert.Equal(t, 6, n)
		assert.Equal(t, start.Add(-2*time.Minute), since)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, monitors.Flush(ctx), upgrademonitor.ErrPending)
	})
}
