package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const timeout = upgrademonitor.DefaultTimeout

var conflict = apierrors.NewConflict(resource, nodeName, errors.New("modified"))

// What an outage costs its callers, in fake time: three rounds of the calls of an update. All of
// them together wait for one Timeout, the last report is written within a second after the end of
// the outage, and the log has one line when it starts, and one when it is over.
func TestAnOutageCostsOneTimeout(t *testing.T) {
	for name, tc := range map[string]struct {
		takes    time.Duration
		requests []string // all if empty
		want     time.Duration
	}{
		"every request hangs":    {hangs, nil, timeout},
		"statuses hang":          {hangs, []string{"PATCH/status"}, timeout},
		"slower than Timeout":    {timeout + 2*time.Second, nil, timeout},
		"slow within Timeout":    {time.Second, nil, 11 * time.Second},
		"specs hang":             {hangs, []string{"PATCH"}, timeout / 2},
		"only a second too slow": {2*timeout + time.Second, nil, timeout},
	} {
		t.Run(name, func(t *testing.T) {
			onSlowServer(t, func(t *testing.T, s *slow) {
				s.takes(tc.takes, tc.requests...)
				s.annotate(oldConfig, newConfig)
				assert.Equal(t, tc.want, took(func() {
					for range 3 {
						_ = s.GenerateAndApplyMachineConfigNodeSpec(t.Context())
						s.tell(t, phases.Updated, metav1.ConditionFalse)
						s.tell(t, phases.UpdatePrepared, metav1.ConditionTrue)
						s.tell(t, phases.Drained, metav1.ConditionUnknown)
						s.tell(t, phases.Drained, metav1.ConditionTrue)
					}
				}))
				synctest.Wait()
				s.recovers()
				s.tell(t, phases.AppliedFilesAndOS, metav1.ConditionUnknown)
				pass(time.Second)
				assert.Equal(t, metav1.ConditionUnknown, s.status(phases.AppliedFilesAndOS))
				n, since := s.Pending()
				assert.Zero(t, n)
				assert.True(t, since.IsZero())
				pass(time.Minute)
				assert.Equal(t, newConfig, s.desired())
				if log := s.log.take(); tc.takes > timeout {
					require.Len(t, log, 2, "%v", log)
					assert.Contains(t, log[0], "Failed to write")
					assert.Contains(t, log[1], "works again")
				}
				s.takes(time.Second)
				assert.Equal(t, time.Second, took(func() { s.tell(t, phases.AppliedFilesAndOS, metav1.ConditionTrue) }), "calls wait again")
			})
		})
	}
}

// Each call of an outage triggers an attempt, even after the budget is used up, and even if it
// changes nothing itself. Callers that arrive during a request share the next attempt.
func TestEveryCallTriggersAnAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		pass(time.Hour)
		for _, call := range []func(){
			func() { f.ReportDegraded(t.Context(), errDown) },
			func() { f.ReportDegraded(t.Context(), nil) },
			func() { f.ReportDegraded(t.Context(), nil) },
			func() { assert.Error(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context())) },
			func() { f.report(t, phases.Updated, metav1.ConditionTrue) },
		} {
			f.requests()
			assert.Zero(t, took(call))
			synctest.Wait()
			assert.Len(t, f.requests(), 1)
			pass(25 * time.Second) // to the longest pause
		}
		down.Store(false)
		f.ReportDegraded(t.Context(), errDown)
		synctest.Wait()
		assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.NodeDegraded).Status)
	})
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(2 * time.Second)
		var callers sync.WaitGroup
		for i := range 200 {
			callers.Go(func() {
				s.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i))
				s.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i))
			})
		}
		s.takes(hangs)
		callers.Wait()
		pass(2*timeout + time.Second)
		assert.LessOrEqual(t, len(s.requests()), 3)
	})
}

// A call waits for an attempt that starts after it: a request in flight predates it.
func TestACallDuringARequestThatFails(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(hangs)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.NoError(t, s.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "R", "", metav1.ConditionUnknown))
		pass(11 * time.Second)
		s.takes(0) // but for the request in flight
		assert.Equal(t, 4*time.Second, took(func() { s.tell(t, phases.NodeDegraded, metav1.ConditionFalse) }))
		assert.Equal(t, metav1.ConditionFalse, s.status(phases.NodeDegraded))
		assert.Equal(t, []string{"GET", "PATCH/status", "PATCH/status"}, s.requests())
	})
}

// The callers of an outage share its budget, also if they wait at the same time.
func TestConcurrentCallersShareTheBudget(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(hangs)
		assert.Equal(t, timeout, took(func() {
			var callers sync.WaitGroup
			for i := range 4000 {
				callers.Go(func() {
					<-time.After(time.Duration(i) * time.Millisecond)
					assert.NoError(t, s.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "R", fmt.Sprint("cause ", i), metav1.ConditionTrue))
				})
			}
			callers.Wait()
		}))
		s.recovers()
		require.NoError(t, s.Flush(t.Context()), "no report is refused")
	})
}

// The budget of an outage starts again with the next outage, however long the queue of the first is.
func TestEachOutageHasABudget(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		for range 2 {
			s.takes(hangs)
			var callers sync.WaitGroup
			for i := range 20 {
				callers.Go(func() { s.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i)) })
			}
			synctest.Wait()
			s.recovers()
			s.takes(400 * time.Millisecond)
			callers.Wait()
			s.takes(hangs)
			assert.Equal(t, timeout, took(func() { s.tell(t, phases.Drained, metav1.ConditionUnknown) }))
			assert.Zero(t, took(func() { s.tell(t, phases.Drained, metav1.ConditionTrue) }))
			s.recovers()
			require.NoError(t, s.Flush(t.Context()))
			s.tell(t, phases.Drained, metav1.ConditionFalse)
		}
	})
}

// Retries are paced from 100 ms to 30 s. A call does not change the pace; Flush and the end of the
// outage start it again.
func TestPaceOfRetries(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		count := func(d time.Duration) int {
			f.requests()
			pass(d)
			return len(f.requests())
		}
		between := func(n, low, high int) {
			t.Helper()
			assert.GreaterOrEqual(t, n, low)
			assert.LessOrEqual(t, n, high)
		}
		between(count(time.Second), 2, 4)
		between(count(time.Minute), 4, 8)
		between(count(time.Hour), 3600/30, 3600/20)
		for range 60 {
			f.ReportDegraded(t.Context(), errDown)
			pass(time.Second)
			f.ReportDegraded(t.Context(), nil)
			pass(time.Second)
		}
		between(count(time.Hour), 3600/30, 3600/20)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.requests()
		require.Error(t, f.Flush(ctx))
		between(len(f.requests()), 3, 5)

		down.Store(false)
		require.NoError(t, f.Flush(t.Context()))
		assert.Zero(t, count(time.Hour), "nothing is pending")
		down.Store(true)
		f.ReportDegraded(t.Context(), errDown)
		between(count(time.Second), 2, 4)
	})
}

// Endless conflicts are an outage, too.
func TestConflictsWithoutEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		f.outage(conflict)
		assert.Less(t, took(func() {
			for i := range 8 {
				f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i))
			}
		}), timeout+time.Millisecond)
		assert.Len(t, f.log.take(), 1)
	})
}

// An outage is over when the API server has responded and nothing is left to write: after a
// rejection, a write of the spec, a create, or a read. The next outage is logged again.
func TestTheEndOfAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		updated := func() error { return f.tryReport(t, phases.Updated, metav1.ConditionTrue) }
		for _, tc := range []struct {
			name string
			call func() error
			end  error
		}{
			{"a create", func() error { return f.GenerateAndApplyMachineConfigNodeSpec(t.Context()) }, nil},
			{"a write", func() error { assert.NoError(t, updated()); return errDown }, nil},
			{"a repeat that is checked", func() error { assert.NoError(t, updated()); return errDown }, nil},
			{"a rejection", func() error {
				assert.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
				return errDown
			}, apierrors.NewInvalid(kind, nodeName, nil)},
			{"a rejection again", func() error {
				assert.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
				return errDown
			}, apierrors.NewInvalid(kind, nodeName, nil)},
		} {
			down := f.outage(errDown)
			require.Error(t, tc.call(), tc.name)
			assert.Len(t, f.log.take(), 1, tc.name)
			pass(time.Minute)
			assert.Empty(t, f.log.take(), tc.name)
			f.failing("patch", tc.end)
			down.Store(false)
			pass(time.Minute)
			lines := f.log.take()
			require.NotEmpty(t, lines, tc.name)
			assert.Contains(t, lines[0], "works again", tc.name)
			f.failing("patch", tc.end)
			if err := f.tryReport(t, phases.NodeDegraded, metav1.ConditionTrue); tc.end != nil {
				require.Error(t, err, "%s: a rejected call has its error", tc.name)
			}
			require.NoError(t, f.tryReport(t, phases.NodeDegraded, metav1.ConditionFalse))
			pass(checkInterval)
			f.log.take()
		}
	})
}

const checkInterval = 5 * time.Minute // of a repeat

// The request timeout grows up to a minute, whatever Timeout is.
func TestAServerThatIsSlow(t *testing.T) {
	for _, tc := range []struct {
		timeout, server time.Duration
	}{
		{time.Nanosecond, 200 * time.Millisecond},
		{time.Millisecond, 200 * time.Millisecond},
		{timeout, 50 * time.Second},
		{time.Hour, 30 * time.Minute},
	} {
		t.Run(fmt.Sprint(tc.timeout, " ", tc.server), func(t *testing.T) {
			onSlowServer(t, func(t *testing.T, s *slow) {
				s.takes(tc.server)
				s.ReportDegraded(t.Context(), errors.New("disk full"))
				pass(30 * time.Minute)
				assert.Equal(t, metav1.ConditionTrue, s.status(phases.NodeDegraded))
			}, func(c *upgrademonitor.Config) { c.Timeout = tc.timeout })
		})
	}
	// A response that takes longer than Timeout needs one request a write, and is logged once.
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(12 * time.Second)
		for range 5 {
			s.tell(t, phases.NodeDegraded, metav1.ConditionTrue)
			s.tell(t, phases.NodeDegraded, metav1.ConditionFalse)
			pass(time.Minute)
		}
		assert.Len(t, s.requests(), 10)
		assert.Len(t, s.log.take(), 1, "the failure lasts until a write is in time")
		s.takes(0)
		s.tell(t, phases.NodeDegraded, metav1.ConditionTrue)
		pass(time.Second)
		assert.Len(t, s.log.take(), 1, "it is over")
		s.takes(hangs)
		s.tell(t, phases.NodeDegraded, metav1.ConditionFalse)
		s.takes(0)
		pass(timeout + time.Second)
		assert.Equal(t, metav1.ConditionFalse, s.status(phases.NodeDegraded), "a lost response delays the next request for two Timeouts")
	})
}

// Fast failures do not make requests take longer.
func TestFastFailuresKeepTheRequestTimeout(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.fails(errDown)
		s.tell(t, phases.Drained, metav1.ConditionUnknown)
		pass(time.Hour)
		s.fails(nil)
		s.takes(2*timeout + time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 3*timeout)
		defer cancel()
		require.Error(t, s.Flush(ctx), "the first request has two Timeouts")
		require.NoError(t, s.Flush(t.Context()), "the next has four")
	})
}

// At most 256 reports whose callers have returned are kept. A full queue refuses at once, and its
// reports are tried all the same.
func TestFullQueue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		accepted := 0
		report := func() error { // no two are equal
			status := []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionTrue}[accepted%2]
			f.annotate(oldConfig, fmt.Sprint("rendered-worker-", accepted))
			return f.tryReport(t, phases.Updated, status)
		}
		for ; ; accepted++ {
			require.LessOrEqual(t, accepted, 256)
			if err := report(); err != nil {
				require.ErrorIs(t, err, upgrademonitor.ErrQueueFull)
				break
			}
		}
		assert.Equal(t, 256, accepted)
		f.annotate(newConfig, newConfig)
		pass(time.Minute)
		down.Store(false)
		require.ErrorIs(t, report(), upgrademonitor.ErrQueueFull)
		synctest.Wait()
		n, _ := f.Pending()
		assert.Zero(t, n)
		require.NoError(t, report())
		f.annotate(newConfig, newConfig)
		pass(time.Minute)
		assert.Equal(t, newConfig, f.object(t).Status.ConfigVersion.Current, "versions follow the Node after a full queue")
	})
}

// A report that changes nothing after the pending reports takes no place in the queue.
func TestRepeatsInAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		f.annotate(oldConfig, newConfig)
		for i := range 100 { // one sync of a daemon each
			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
			f.NotRequired(t.Context(), phases.Cordoned, "Cordon is not required")
			f.report(t, phases.Drained, metav1.ConditionUnknown)
			f.ReportPinnedImageSets(t.Context(), nil, nil)
			require.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "R", fmt.Sprint("sync ", i), metav1.ConditionTrue))
			n, _ := f.Pending()
			assert.Equal(t, 6, n, "sync %d", i)
			pass(time.Minute)
		}
		down.Store(false)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, "sync 99", f.condition(t, phases.NodeDegraded).Message)
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
	})
}

// A repeat waits together with the last pending report, and does not get the error of that report.
func TestARepeatWaitsForTheLastReport(t *testing.T) {
	onSlowServer(t, func(t *testing.T, s *slow) {
		s.takes(2 * time.Second)
		go s.ReportDegraded(t.Context(), errors.New("disk full"))
		synctest.Wait()
		assert.Equal(t, 2*time.Second, took(func() { s.ReportDegraded(t.Context(), errors.New("disk full")) }))
		assert.Zero(t, took(func() { s.tell(t, phases.Updated, metav1.ConditionTrue) }), "true already, whatever is pending")
		assert.Equal(t, []string{"PATCH/status"}, s.requests())
	})
}
