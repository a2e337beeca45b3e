package upgrademonitor_test

import (
	"context"
	"fmt"
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

// Reports of an outage keep the time of their call. Pending returns their number, and the time of the oldest.
func TestReportsOfAnOutageAreWrittenWithTheTimeOfTheCall(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		started := time.Now().Truncate(time.Second)
		f.fails(errDown)
		f.annotate(oldConfig, newConfig)
		f.queues(t, phases.Updated, metav1.ConditionFalse)
		f.queues(t, phases.UpdatePrepared, metav1.ConditionTrue)
		n, since := f.Pending()
		assert.Equal(t, 2, n)
		assert.True(t, since.Equal(started))
		pass(time.Hour)
		f.queues(t, phases.Cordoned, metav1.ConditionTrue)
		f.fails(nil)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.UpdatePrepared))
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.Cordoned))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Desired)
		assert.True(t, f.condition(phases.UpdatePrepared).LastTransitionTime.Time.Equal(started))
		n, since = f.Pending()
		assert.Zero(t, n)
		assert.True(t, since.IsZero())
	})
}

// A report that is not allowed is the error of its call, after one read. In an outage, it is the error of Flush instead, and
// is logged.
func TestARejectionInAnOutageIsTheErrorOfFlushAndIsLogged(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.starts(t, newConfig)
		f.report(t, phases.Drained, metav1.ConditionUnknown)
		other := f.another(t)
		other.report(t, phases.Updated, metav1.ConditionTrue)
		f.requests()
		f.report(t, phases.Drained, metav1.ConditionFalse)
		assert.Equal(t, []string{"get"}, f.requests(), "one read finds that the other process has ended the update, so the report changes nothing")
		f.report(t, phases.Drained, metav1.ConditionFalse)
		assert.Empty(t, f.requests(), "a repeat needs no read")

		var refused *phases.TransitionError
		require.ErrorAs(t, f.tryReport(t, phases.Updated, metav1.ConditionUnknown), &refused)
		f.fails(errDown)
		f.queues(t, phases.Updated, metav1.ConditionUnknown)
		f.log.take()
		f.fails(nil)
		err := f.Flush(t.Context())
		require.ErrorAs(t, err, &refused)
		require.NotErrorIs(t, err, upgrademonitor.ErrPending)
		assert.Contains(t, fmt.Sprint(f.log.take()), "Dropped an accepted change")
	})
}

// A report that the API server rejects is the error of its call, and blocks no other report.
func TestAReportThatTheServerRejectsIsTheErrorOfItsCall(t *testing.T) {
	for name, failure := range map[string]error{"invalid": errInvalid, "too large": apierrors.NewRequestEntityTooLargeError("limit is 3145728")} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *fixture) {
				f.failing("patch", failure)
				err := f.tryReport(t, phases.Drained, metav1.ConditionUnknown)
				assert.Equal(t, apierrors.ReasonForError(failure), apierrors.ReasonForError(err))
				require.NotErrorIs(t, err, upgrademonitor.ErrPending)
				f.report(t, phases.Cordoned, metav1.ConditionUnknown)
				assert.Equal(t, metav1.ConditionFalse, f.status(phases.Drained))
				var log logLines
				f.failing("patch", failure)
				f.ReportPinnedImageSets(log.context(t.Context()), nil, nil)
				lines := log.take()
				require.Len(t, lines, 1)
				assert.Contains(t, lines[0], "report of PinnedImageSetsProgressing on node worker-0 rejected: ")
				f.annotate(oldConfig, newConfig)
				f.failing("patch", failure)
				assert.ErrorContains(t, f.syncSpec(t), "report of the Node on node worker-0 rejected: ")
			})
		})
	}
}

// The 257th report is refused. Flush still waits until the status has the configs of the Node.
func TestAFullQueueReturnsErrQueueFull(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		accepted := 0
		report := func() error { // makes a report that differs from the last one
			status := []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionTrue}[accepted%2]
			f.annotate(oldConfig, fmt.Sprint("rendered-worker-", accepted))
			return f.tryReport(t, phases.Updated, status)
		}
		for ; accepted < 256; accepted++ {
			require.ErrorIs(t, report(), upgrademonitor.ErrPending)
		}
		err := report()
		require.ErrorIs(t, err, upgrademonitor.ErrQueueFull)
		require.NotErrorIs(t, err, upgrademonitor.ErrPending)
		synctest.Wait()
		f.fails(nil)
		f.takes(time.Second)
		require.ErrorIs(t, f.tryReport(t, phases.Updated, metav1.ConditionFalse), upgrademonitor.ErrQueueFull)
		f.annotate(newConfig, newConfig)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, newConfig, f.object().Status.ConfigVersion.Current)
		assert.Zero(t, f.pending())
	})
}

// In an outage, the reports of each sync replace the pending reports of the sync before.
func TestADaemonThatRetriesDoesNotFillTheQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		for i := range 100 { // each round has the reports of one sync of a daemon
			f.annotate(oldConfig, newConfig)
			f.queues(t, phases.Updated, metav1.ConditionFalse)
			f.queues(t, phases.UpdatePrepared, metav1.ConditionTrue)
			f.NotRequired(t.Context(), phases.Cordoned, "Cordon is not required")
			f.queues(t, phases.Drained, metav1.ConditionUnknown)
			f.ReportPinnedImageSets(t.Context(), nil, nil)
			failed := fmt.Errorf("sync %d", i)
			_ = f.Track(t.Context(), phases.AppliedFilesAndOS, "Applying files", func(context.Context) error { return failed })
			f.ReportDegraded(t.Context(), failed)
			assert.Equal(t, 8, f.pending(), "sync %d", i)
			pass(time.Minute)
		}
		f.fails(nil)
		f.requests()
		require.NoError(t, f.Flush(t.Context()))
		assert.Len(t, f.requests(), 10)
		assert.Contains(t, f.condition(phases.NodeDegraded).Message, "sync 99")
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Drained))
	})
}
