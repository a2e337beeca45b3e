package upgrademonitor_test

import (
	"context"
	"errors"
	"strings"
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

// In each kind of outage, the calls of three updates wait as the case says, make its requests, and log its lines. After the
// outage, everything is written within a second, and calls wait again.
func TestCallsWaitOnlyUntilTheOutageHasStarted(t *testing.T) {
	const s = time.Second
	refused := []time.Duration{0, 0, 0, 0, 0}
	for name, tc := range map[string]struct {
		takes    time.Duration
		requests []string // the requests that are slow or fail; nil means all
		fails    error

		waits  []time.Duration // how long the spec call and four reports wait in the first round
		later  []time.Duration // how long they wait in the other rounds
		made   []string        // the requests with a response in the first round; nil if any are right
		logged []string        // a part of each line
	}{
		"the API server is healthy": {waits: refused, later: refused,
			made: []string{"patch", "patch/status", "patch/status", "patch/status", "patch/status"}},
		"every request hangs": {takes: hangs, waits: []time.Duration{10 * s, 0, 0, 0, 0}, later: refused, made: []string{},
			logged: []string{"Failed to write the MachineConfigNode", "works again"}},
		"writes of the status hang": {takes: hangs, requests: []string{"patch/status"}, waits: []time.Duration{0, 10 * s, 0, 0, 0}, later: refused, made: []string{"patch"},
			logged: []string{"Failed to write the MachineConfigNode", "works again"}},
		"writes of the spec hang": {takes: hangs, requests: []string{"patch"}, waits: []time.Duration{10 * s, 0, 0, 0, 0}, later: refused,
			// the first write of the spec starts the outage
			logged: []string{"Failed to write the MachineConfigNode", "works again"}},
		"every request fails": {fails: errDown, waits: refused, later: refused, made: []string{"patch", "get", "get", "get", "get"},
			logged: []string{"Failed to write the MachineConfigNode", "works again"}},
		"no CRD": {fails: errNoCRD, waits: refused, later: refused,
			logged: []string{"Failed to write the MachineConfigNode", "works again"}},
		"writes of the status are denied": {fails: errRBAC, requests: []string{"patch/status"}, waits: refused, later: refused,
			made:   []string{"patch", "patch/status", "patch/status", "patch/status", "patch/status"},
			logged: []string{"Failed to write the MachineConfigNode", "works again"}},
		"writes of the spec are denied": {fails: errRBAC, requests: []string{"patch"}, waits: refused, later: refused,
			made:   []string{"patch", "patch", "patch", "patch", "patch"},
			logged: []string{"may patch machineconfignodes, not only machineconfignodes/status", "works again"}},
		"a write takes 1 s": {takes: s, waits: []time.Duration{s, s, s, s, s}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *fixture) {
				f.takes(tc.takes, tc.requests...)
				f.fails(tc.fails, tc.requests...)
				f.annotate(oldConfig, newConfig)
				assert.Equal(t, tc.waits, f.update(t, tc.fails != nil))
				if tc.made != nil {
					assert.Equal(t, tc.made, append([]string{}, f.requests()...))
				}
				for range 2 {
					if waits := f.update(t, tc.fails != nil); tc.later != nil {
						assert.Equal(t, tc.later, waits)
					}
				}
				synctest.Wait()
				f.fails(nil)
				f.recovers()
				_ = f.tryReport(t, phases.AppliedFilesAndOS, metav1.ConditionUnknown)
				pass(time.Second)
				assert.Equal(t, metav1.ConditionUnknown, f.status(phases.AppliedFilesAndOS))
				assert.Zero(t, f.pending())
				pass(time.Minute)
				assert.Equal(t, newConfig, f.desired())
				assertLines(t, tc.logged, f.log.take())
				f.takes(time.Second)
				assert.Equal(t, time.Second, took(func() { f.report(t, phases.AppliedFilesAndOS, metav1.ConditionTrue) }), "after the outage, calls wait again")
			})
		})
	}
}

// update makes the calls of an update, and returns how long each call takes. After each call, it waits until the attempt
// has ended or its request hangs.
func (f *fixture) update(t *testing.T, settles bool) (waits []time.Duration) {
	t.Helper()
	for _, call := range []func() error{
		func() error { return f.syncSpec(t) },
		func() error { return f.tryReport(t, phases.Updated, metav1.ConditionFalse) },
		func() error { return f.tryReport(t, phases.UpdatePrepared, metav1.ConditionTrue) },
		func() error { return f.tryReport(t, phases.Drained, metav1.ConditionUnknown) },
		func() error { return f.tryReport(t, phases.Drained, metav1.ConditionTrue) },
	} {
		waits = append(waits, took(func() {
			if err := call(); err != nil {
				require.ErrorIs(t, err, upgrademonitor.ErrPending)
			}
		}))
		if settles {
			synctest.Wait()
		}
	}
	return waits
}

func assertLines(t *testing.T, want, lines []string) {
	t.Helper()
	require.Len(t, lines, len(want), "%v", lines)
	for i, line := range lines {
		assert.Contains(t, line, want[i])
	}
}

// A write that conflicts again and again, or does not find the object, is repeated for some seconds. Then it starts an
// outage, before Timeout.
func TestConflictsWithoutEndStartAnOutageBeforeTimeout(t *testing.T) {
	for _, err := range []error{errConflict, apiserver.NotFound(nodeName)} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(err, "patch/status")
			repeated := took(func() { f.queues(t, phases.Drained, metav1.ConditionUnknown) })
			assert.Less(t, repeated, timeout)
			assert.Greater(t, repeated, 3*time.Second)
			assert.Zero(t, took(func() { f.queues(t, phases.Drained, metav1.ConditionTrue) }))
			f.fails(nil)
			pass(time.Second)
			assert.Equal(t, metav1.ConditionTrue, f.status(phases.Drained))
			assertLines(t, []string{"Failed to write", "works again"}, f.log.take())
		})
	}
}

// If the API server does not find the resource at a creation, the call does not wait. The creation is retried with backoff,
// and not at once as after a conflict.
func TestACreationThatFindsNoResourceIsRetriedWithBackoff(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.Remove(nodeName)
		f.fails(apiserver.NotFound(nodeName), "create")
		assert.Less(t, took(func() { f.queues(t, phases.Drained, metav1.ConditionTrue) }), time.Second)
		pass(10 * time.Second)
		assert.Less(t, len(f.requests()), 30)
		f.fails(nil)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Drained))
		assertLines(t, []string{"Failed to write", "works again"}, f.log.take())
	})
}

// A write that takes longer than Timeout starts an outage, and its response ends the outage. Later calls wait again.
func TestASlowWriteEndsTheOutageThatItHasStarted(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(12 * time.Second)
		assert.Equal(t, timeout, took(func() { f.queues(t, phases.NodeDegraded, metav1.ConditionTrue) }))
		pass(3 * time.Second)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.NodeDegraded))
		assertLines(t, []string{"no response", "works again"}, f.log.take())
		assert.Equal(t, []string{"patch/status"}, f.requests())

		pass(time.Hour)
		f.takes(2 * time.Second)
		f.annotate(oldConfig, newConfig)
		assert.Equal(t, 2*time.Second, took(func() { assert.NoError(t, f.syncSpec(t)) }), "after the outage, a call waits for its write")
		f.failing("patch", errInvalid)
		var rejected *upgrademonitor.ReportError
		require.ErrorAs(t, f.tryReport(t, phases.NodeDegraded, metav1.ConditionFalse), &rejected)
	})
}

// Flush cancels a request that is older than Timeout, because its response may be lost.
func TestFlushCancelsARequestThatIsOlderThanTimeout(t *testing.T) {
	for i := range 20 {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.takes(hangs)
			f.queues(t, phases.Drained, metav1.ConditionUnknown)
			pass(5*time.Minute + time.Duration(i)*5*time.Second) // the age of the request in flight differs in each round
			f.takes(0)                                           // has no effect on the request in flight
			require.NoError(t, f.flushFor(t, timeout))
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
		})
	}
}

// After a long outage, a report is written by its call, and not only when the next retry is due.
func TestTheFirstReportAfterALongOutageIsWrittenAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		f.queues(t, phases.Drained, metav1.ConditionUnknown)
		pass(10 * time.Minute)
		f.queues(t, phases.Cordoned, metav1.ConditionUnknown)
		f.fails(nil)
		f.queues(t, phases.Cordoned, metav1.ConditionTrue)
		synctest.Wait()
		assert.Zero(t, f.pending())
		assert.Zero(t, took(func() { f.report(t, phases.Drained, metav1.ConditionTrue) }))
	})
}

// However short the ctx of each call is, the outage starts after one Timeout, and further calls do not wait.
func TestCallsWithAShortCtxWaitForOneTimeoutInSum(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(hangs)
		var sum time.Duration
		for i := range 40 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			status := []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse}[i%2]
			sum += took(func() { f.Report(ctx, phases.NodeDegraded, "failing", status) })
			cancel()
		}
		assert.Equal(t, timeout, sum)
	})
}

// If the response comes at the moment of the timeout, an outage that was logged also ends. A rejection is either the error
// of the call or logged.
func TestAResponseAtTheMomentOfATimeoutEndsTheOutage(t *testing.T) {
	for i := range 100 {
		inBubble(t, func(t *testing.T, f *fixture) {
			isRejected := i%2 == 0
			f.takes(timeout)
			if isRejected {
				f.fails(errInvalid, "patch/status")
			}
			err := f.tryReport(t, phases.NodeDegraded, metav1.ConditionTrue)
			synctest.Wait()
			lines := strings.Join(f.log.take(), "")
			assert.Equal(t, strings.Count(lines, "no response"), strings.Count(lines, "works again"))
			if errors.Is(err, upgrademonitor.ErrPending) {
				assert.Equal(t, isRejected, strings.Contains(lines, "Dropped an accepted change"))
			} else {
				assert.Equal(t, isRejected, err != nil)
			}
			f.fails(nil)
			f.takes(time.Second)
			_ = f.tryReport(t, phases.Drained, metav1.ConditionUnknown) // may time out, because a slow read may come first
			require.NoError(t, f.Flush(t.Context()))
		})
	}
}

// If another process has written the report, nothing is left to write, so the outage ends.
func TestAnOutageEndsIfAnotherProcessHasWrittenTheReport(t *testing.T) {
	var cache lister
	inBubble(t, func(t *testing.T, f *fixture) {
		cache.show(f.object())
		f.fails(errRBAC, "patch/status")
		f.queues(t, phases.NodeDegraded, metav1.ConditionTrue)
		f.fails(nil)
		f.another(t).report(t, phases.NodeDegraded, metav1.ConditionTrue)
		cache.show(f.object())
		f.requests()
		pass(time.Minute)
		assert.Empty(t, f.requests())
		assertLines(t, []string{"RBAC", "works again"}, f.log.take())
		f.report(t, phases.NodeDegraded, metav1.ConditionFalse)
	}, cache.use)
}
