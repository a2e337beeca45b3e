package upgrademonitor_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The spec call brings the spec and the owner in sync with the Node. A spec that is in sync needs
// no request, and an annotation that is missing changes nothing.
func TestSpecFollowsTheNode(t *testing.T) {
	f := newFixture(t)
	for _, step := range []struct {
		change   func(*corev1.Node)
		desired  string
		uid      types.UID
		requests []string
	}{
		{func(*corev1.Node) {}, oldConfig, "1a01a163", []string{"get", "create"}},
		{func(*corev1.Node) {}, oldConfig, "1a01a163", nil},
		{func(n *corev1.Node) { n.Annotations = annotated(oldConfig, newConfig).Annotations }, newConfig, "1a01a163", []string{"patch"}},
		{func(n *corev1.Node) { n.Annotations = nil }, newConfig, "1a01a163", nil},
		{func(n *corev1.Node) { n.UID = "another" }, newConfig, "another", []string{"patch"}},
	} {
		f.becomes(step.change)
		require.NoError(t, f.syncSpec(t))
		assert.Equal(t, step.requests, f.requests())
		assert.Equal(t, step.desired, f.desired())
		assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: step.uid}}, f.object().OwnerReferences)
	}
}

// A failed write of the spec is logged once, and is the error of the call. Then the status is written.
// The spec is retried without a call, for the Node at that time.
func TestASpecThatFails(t *testing.T) {
	for _, failure := range []*apierrors.StatusError{errRBAC, apierrors.NewInternalError(errors.New("etcd")), errInvalid} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(failure, "patch")
			f.annotate(oldConfig, newConfig)
			for range 3 {
				assert.Zero(t, took(func() {
					err := f.syncSpec(t)
					require.ErrorIs(t, err, upgrademonitor.ErrPending)
					assert.Equal(t, failure.ErrStatus.Reason, apierrors.ReasonForError(err))
				}))
				synctest.Wait()
			}
			assert.Equal(t, 3, strings.Count(fmt.Sprint(f.requests()), "patch"), "each call makes an attempt")
			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.Drained, metav1.ConditionUnknown)
			assert.Equal(t, 2, strings.Count(fmt.Sprint(f.requests()), "patch"), "no retry is due")
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.UpdatePrepared))
			assert.Equal(t, oldConfig, f.desired())
			assert.Len(t, f.log.take(), 1)

			pass(5 * time.Minute)
			assert.Empty(t, f.log.take())
			retries := strings.Count(fmt.Sprint(f.requests()), "patch")
			assert.True(t, 10 <= retries && retries <= 30, "%d retries", retries)
			f.annotate(oldConfig, thirdConfig)
			f.fails(nil)
			pass(time.Minute)
			assert.Equal(t, thirdConfig, f.desired())
			assertLines(t, []string{"Writing the spec of the MachineConfigNode works again"}, f.log.take())
			require.NoError(t, f.syncSpec(t))
			f.fails(failure, "patch")
			f.annotate(oldConfig, newConfig)
			require.Error(t, f.syncSpec(t))
			assert.Len(t, f.log.take(), 1, "the next failure is logged again")
		})
	}
}

// If the start of an update is written late, it does not overwrite a newer spec or owner, whether
// this process or an operator has written it.
func TestALateStart(t *testing.T) {
	for _, anOperatorWrites := range []bool{false, true} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(errDown)
			f.annotate(oldConfig, newConfig)
			f.queues(t, phases.Updated, metav1.ConditionFalse)
			pass(time.Minute)
			f.becomes(func(n *corev1.Node) { n.UID = "registered again" })
			f.annotate(oldConfig, thirdConfig)
			if anOperatorWrites {
				f.write(t, "", func(mcn *mcfgv1.MachineConfigNode) { mcn.Spec.ConfigVersion.Desired = thirdConfig })
			}
			pass(11 * time.Second) // the Monitor looks at the Node
			f.fails(nil)
			pass(time.Minute)
			object := f.object()
			assert.Equal(t, thirdConfig, object.Spec.ConfigVersion.Desired)
			assert.Equal(t, types.UID("registered again"), object.OwnerReferences[0].UID)
			assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
			assert.Less(t, object.Status.ObservedGeneration, object.Generation, "the update to the third config has not started")

			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
			f.annotate(thirdConfig, thirdConfig)
			f.report(t, phases.Updated, metav1.ConditionTrue)
			object = f.object()
			assert.Equal(t, thirdConfig, object.Status.ConfigVersion.Desired)
			assert.Equal(t, object.Generation, object.Status.ObservedGeneration)
		})
	}
}

// If the Node changes back while a write of the spec is in flight, the spec is written back, and
// both calls wait for that.
func TestASpecThatIsTakenBackInFlight(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(time.Second)
		f.annotate(oldConfig, newConfig)
		go func() { assert.NoError(t, f.syncSpec(t)) }()
		synctest.Wait()
		f.annotate(oldConfig, oldConfig)
		assert.NoError(t, f.syncSpec(t))
		assert.Equal(t, oldConfig, f.desired())
	})
}

// The spec that the start of an update needs is written within a minute after a failure, without a
// call.
func TestTheSpecOfAStartIsRetried(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.failing("patch", errRBAC)
		f.starts(t, newConfig)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.UpdatePrepared))
		assert.Equal(t, oldConfig, f.desired())
		pass(time.Minute)
		assert.Equal(t, newConfig, f.desired())
		assert.Len(t, f.log.take(), 2)
	})
}

// A report that cancels a retry of the spec is not another failure of the spec.
func TestAReportCancelsARetryOfTheSpec(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errRBAC, "patch")
		f.takes(500*time.Millisecond, "patch")
		f.annotate(oldConfig, newConfig)
		require.Error(t, f.syncSpec(t))
		for i := range 100 {
			assert.Zero(t, took(func() { f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i)) }))
			pass(777 * time.Millisecond)
		}
		assertLines(t, []string{"RBAC"}, f.log.take())
	})
}

// A report cancels a retry of the spec, but not the write of a status that follows the retry.
func TestAReportCancelsNoStatus(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errRBAC, "patch")
		f.annotate(oldConfig, newConfig)
		require.Error(t, f.syncSpec(t))
		f.takes(500*time.Millisecond, "patch/status")
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() { f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i)) })
			pass(333 * time.Millisecond)
		}
		callers.Wait()
		assertLines(t, []string{"RBAC"}, f.log.take())
	})
}

// If a write of the spec fails, its callers get the error, even if the Node has changed back.
func TestASpecThatFailsAndIsTakenBack(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errRBAC, "patch")
		f.takes(time.Second)
		f.annotate(oldConfig, newConfig)
		time.AfterFunc(500*time.Millisecond, func() {
			f.annotate(oldConfig, oldConfig)
			f.report(t, phases.Updated, metav1.ConditionTrue)
		})
		assert.Equal(t, time.Second, took(func() { assert.True(t, apierrors.IsForbidden(f.syncSpec(t))) }))
		assertLines(t, []string{"RBAC", "works again"}, f.log.take())
	})
}

// If the Node changes back after a write of the spec has failed, nothing is left to write, and the
// failure is over.
func TestAFailureOfTheSpecThatIsTakenBack(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errRBAC, "patch")
		f.annotate(oldConfig, newConfig)
		require.Error(t, f.syncSpec(t))
		f.annotate(oldConfig, oldConfig)
		require.NoError(t, f.syncSpec(t))
		f.fails(nil)
		f.requests()
		pass(time.Minute)
		assertLines(t, []string{"RBAC", "works again"}, f.log.take())
		assert.Empty(t, f.requests())
		f.annotate(oldConfig, newConfig)
		require.NoError(t, f.syncSpec(t))
	})
}

// After a failure of the spec is over, the start of an update does not wait for the time of the last
// retry.
func TestNoRetryAfterAFailureOfTheSpec(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errRBAC, "patch")
		f.annotate(oldConfig, newConfig)
		require.Error(t, f.syncSpec(t))
		pass(3 * time.Minute)
		f.fails(nil)
		require.Error(t, f.syncSpec(t), "a call during an outage starts an attempt, and does not wait")
		synctest.Wait()
		require.Equal(t, newConfig, f.desired())
		f.annotate(oldConfig, thirdConfig)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, thirdConfig, f.desired())
	})
}

// If every write of the spec has a conflict, that is a failure of the spec: it is logged once, it is
// retried with backoff, and reports are written.
func TestConflictsOfTheSpecWithoutEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errConflict, "patch")
		f.annotate(oldConfig, newConfig)
		assert.Less(t, took(func() { assert.True(t, apierrors.IsConflict(f.syncSpec(t))) }), timeout)
		pass(time.Minute)
		f.ReportDegraded(t.Context(), errDown)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.NodeDegraded))
		f.requests()
		pass(10 * time.Minute)
		retries := strings.Count(fmt.Sprint(f.requests()), "patch") / 45
		assert.True(t, 600/40 <= retries && retries <= 600/20, "%d retries", retries)
		assertLines(t, []string{"Failed to write the spec"}, f.log.take())
	})
}
