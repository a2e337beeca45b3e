package upgrademonitor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// In an outage, each call starts an attempt, even a call that changes nothing.
func TestEachCallInAnOutageStartsAnAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		pass(time.Hour)
		for _, call := range []func(){
			func() { f.ReportDegraded(t.Context(), errDown) },
			func() { f.ReportDegraded(t.Context(), nil) },
			func() { f.ReportDegraded(t.Context(), nil) },
			func() { assert.Error(t, f.syncSpec(t)) },
			func() { _ = f.tryReport(t, phases.Updated, metav1.ConditionTrue) }, // Updated is already True
		} {
			f.requests()
			assert.Zero(t, took(call))
			synctest.Wait()
			assert.Len(t, f.requests(), 1)
			pass(25 * time.Second) // after this, the pause between retries is the longest
		}
		f.fails(nil)
		f.ReportDegraded(t.Context(), errDown)
		synctest.Wait()
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.NodeDegraded))
	})
}

func TestConcurrentCallersWaitForOneTimeoutTogether(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(hangs)
		assert.Equal(t, timeout, took(func() {
			var callers sync.WaitGroup
			for i := range 400 {
				callers.Go(func() {
					<-time.After(time.Duration(i) * 10 * time.Millisecond)
					err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "R", fmt.Sprint("cause ", i), metav1.ConditionTrue)
					assert.ErrorIs(t, err, upgrademonitor.ErrPending)
				})
			}
			callers.Wait()
		}))
		f.recovers()
		require.NoError(t, f.Flush(t.Context()), "all reports are accepted")
	})
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(2 * time.Second)
		var callers sync.WaitGroup
		for i := range 200 {
			callers.Go(func() { f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i)) })
		}
		f.fails(errDown)
		callers.Wait()
		assert.LessOrEqual(t, len(f.requests()), 2)
	})
}

// A call shares its attempt with another call, whose write succeeds. The next request, which is for this call, fails.
func TestACallDoesNotWaitForTheRetryOfItsFailedRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(time.Second)
		f.failing("patch", nil, errDown)
		go f.ReportDegraded(t.Context(), errDown)
		synctest.Wait()
		assert.Equal(t, 2*time.Second, took(func() { f.queues(t, phases.Drained, metav1.ConditionUnknown) }))
	})
}

// If the ctx of a call ends, the request goes on, because it may also write the report of another caller.
func TestACallerThatLeavesCancelsNoRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(8 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "R", "", metav1.ConditionUnknown)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		pass(4 * time.Second)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
		assert.Empty(t, f.log.take(), "a call whose ctx ends starts no outage")
	})
}

func TestACallThatTimesOutBehindALongQueueStartsNoOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(2 * time.Second)
		var callers sync.WaitGroup
		for i := range 20 {
			callers.Go(func() {
				<-time.After(time.Duration(i) * time.Millisecond)
				err := f.tryReport(t, phases.NodeDegraded, []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse}[i%2])
				assert.Equal(t, i > 4, errors.Is(err, upgrademonitor.ErrPending), "%d %v", i, err)
			})
		}
		callers.Wait()
		require.NoError(t, f.Flush(t.Context()))
		assert.Empty(t, f.log.take())
	})
}

// Calls in an outage do not change the pauses. After a Flush, and after an outage, the first pause is the shortest again.
func TestThePausesBetweenRetriesGrowFrom100MsTo30S(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		during := func(low, high int, work func()) {
			t.Helper()
			f.requests()
			work()
			n := len(f.requests())
			assert.True(t, low <= n && n <= high, "%d requests, want %d to %d", n, low, high)
		}
		during(1, 1, func() { pass(150 * time.Millisecond) }) // a pause is 100 to 150 ms, the next one twice as long
		during(1, 1, func() { pass(300 * time.Millisecond) })
		during(1, 1, func() { pass(600 * time.Millisecond) })
		during(4, 8, func() { pass(time.Minute) })
		during(3600/30, 3600/20, func() { pass(time.Hour) })
		during(120+120/30-1, 120+120/20, func() {
			for range 60 {
				f.ReportDegraded(t.Context(), errDown)
				pass(time.Second)
				f.ReportDegraded(t.Context(), nil)
				pass(time.Second)
			}
		})
		during(3600/30, 3600/20, func() { pass(time.Hour) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		during(3, 5, func() { require.Error(t, f.Flush(ctx)) })
		f.fails(nil)
		require.NoError(t, f.Flush(t.Context()))
		during(0, 0, func() { pass(time.Hour) })
		f.fails(errDown)
		f.ReportDegraded(t.Context(), errDown)
		during(2, 4, func() { pass(time.Second) })
	})
}

// The outage ends if the last request is a creation, a write or a rejection. The next outage is logged again.
func TestAnOutageEndsWhenNothingIsLeftToWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		updated := func() error { return f.tryReport(t, phases.Updated, metav1.ConditionTrue) }
		drained := func() error { return f.tryReport(t, phases.Drained, metav1.ConditionUnknown) }
		for _, tc := range []struct {
			name string
			call func() error
			end  error // the response to the first patch after the outage
		}{
			{"a create", func() error { return f.syncSpec(t) }, nil},
			{"a write", updated, nil},
			{"a rejection", drained, errInvalid},
			{"a rejection again", drained, errInvalid},
		} {
			f.fails(errDown)
			require.ErrorIs(t, tc.call(), upgrademonitor.ErrPending, tc.name)
			assert.Len(t, f.log.take(), 1, tc.name)
			pass(time.Minute)
			assert.Empty(t, f.log.take(), tc.name)
			f.failing("patch", tc.end)
			pass(time.Minute)
			lines := f.log.take()
			require.NotEmpty(t, lines, tc.name)
			assert.Contains(t, strings.Join(lines, ""), "works again", tc.name)
			pass(5 * time.Minute)
			f.log.take()
		}
	})
}

func TestTheLimitOfConflictsAppliesToEachWrite(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.server.mu.Lock()
		isConflict := false
		f.fault = func(request string) error {
			if request == "patch/status" {
				isConflict = !isConflict
			}
			if request == "patch/status" && isConflict {
				return errConflict
			}
			return nil
		}
		f.server.mu.Unlock()
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() {
				<-time.After(time.Duration(i) * time.Microsecond)
				f.ReportDegraded(t.Context(), map[bool]error{true: errDown}[i%2 == 0])
			})
		}
		callers.Wait()
		assert.Zero(t, f.pending())
		assert.Len(t, f.requests(), 300)
		assert.Empty(t, f.log.take())
	})
}

// If the response to a write does not show the status, the write is retried with pauses, and the failure is logged once.
func TestAResponseThatDoesNotShowTheStatusIsAFailedAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		fixed := f.object()
		f.Fault = func(r *http.Request) (*http.Response, error) {
			response, err := f.respond(r)
			if response == nil && err == nil && strings.HasSuffix(r.URL.Path, "/status") {
				response = apiserver.Respond(r, fixed, nil)
			}
			return response, err
		}
		err := f.tryReport(t, phases.Drained, metav1.ConditionTrue)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		require.ErrorContains(t, err, "does not show it")
		pass(time.Hour)
		assert.Less(t, len(f.requests()), 500)
		assertLines(t, []string{"does not show it"}, f.log.take())
		f.Fault = f.respond
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Drained))
		assertLines(t, []string{"works again"}, f.log.take())
	})
}

// A mutating webhook that keeps the old spec does not stop the reports in silence.
func TestAResponseThatDoesNotShowTheSpecIsAFailedAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		fixed := f.object()
		f.Fault = func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPatch && !strings.HasSuffix(r.URL.Path, "/status") {
				return apiserver.Respond(r, fixed, nil), nil
			}
			return f.respond(r)
		}
		f.annotate(oldConfig, newConfig)
		f.queues(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Updated), "the start waits for its spec")
		assertLines(t, []string{"does not show it"}, f.log.take())
		f.Fault = f.respond
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, newConfig, f.desired())
		assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
	})
}

// A mutating webhook may change texts: the report is written.
func TestAResponseWithOtherTextsIsNoFailedAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.ReportDegraded(t.Context(), errors.New("disk full"))
		f.Fault = func(r *http.Request) (*http.Response, error) {
			response, err := f.Serve(r)
			require.NoError(t, err)
			body, err := io.ReadAll(response.Body)
			response.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(body), "no space left", "disk full")))
			return response, err
		}
		f.ReportDegraded(t.Context(), errors.New("no space left"))
		synctest.Wait()
		assert.Zero(t, f.pending())
		assert.Empty(t, f.log.take())
	})
}

// A time of another client that Go cannot encode is replaced in the next write, and logged once.
func TestAnInvalidTimeOfAnotherClientBlocksNoReport(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		foreign := metav1.Condition{Type: "InternalReleaseImageDegraded", Status: metav1.ConditionFalse, Reason: "AsExpected", LastTransitionTime: metav1.Unix(0, 0)}
		status := map[string]any{"conditions": append(f.object().Status.Conditions, foreign)}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": f.object().ResourceVersion}, "status": status})
		require.NoError(t, err)
		body := strings.ReplaceAll(string(patch), "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00")
		written, err := f.Serve(httptest.NewRequest(http.MethodPatch, "http://fake/machineconfignodes/"+nodeName+"/status", strings.NewReader(body)))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, written.StatusCode)
		f.failing("patch", errDown, errDown)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
		assertLines(t, []string{"down", "Replacing the time", "works again"}, f.log.take())
	})
}
