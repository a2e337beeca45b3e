package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

var (
	resource = schema.GroupResource{Group: "machineconfiguration.openshift.io", Resource: "machineconfignodes"}
	kind     = schema.GroupKind{Group: resource.Group, Kind: "MachineConfigNode"}
)

// failing makes requests of a verb fail, in order, with these errors; nil is a success.
func (f *fixture) failing(verb string, errs ...error) {
	var mu sync.Mutex
	f.clientset.PrependReactor(verb, resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(errs) == 0 {
			return false, nil, nil
		}
		err := errs[0]
		errs = errs[1:]
		return err != nil, nil, err
	})
}

func (f *fixture) tryReport(t *testing.T, p phases.Phase, status metav1.ConditionStatus) error {
	t.Helper()
	return f.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status)
}

func TestWhatCannotBeWrittenIsKeptInOrder(t *testing.T) {
	down := apierrors.NewServiceUnavailable("etcd is down")
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.failing("patch", down, down, down)
	f.failing("get", nil, down, down) // an ambiguous write is followed by a read
	for _, p := range []phases.Phase{phases.Updated, phases.UpdatePrepared} {
		status := metav1.ConditionFalse
		if p != phases.Updated {
			status = metav1.ConditionTrue
		}
		err := f.tryReport(t, p, status)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		assert.True(t, apierrors.IsServiceUnavailable(err), "the cause is wrapped: %v", err)
	}
	f.clock.SetTime(start.Add(time.Hour))
	for f.tryReport(t, phases.Cordoned, metav1.ConditionTrue) != nil {
		// each call retries
	}
	require.NoError(t, f.Flush(t.Context()))

	object := f.object(t)
	list := object.Status.Conditions
	assert.Equal(t, metav1.ConditionFalse, conditions.StatusOf(list, phases.Updated))
	assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(list, phases.UpdatePrepared))
	assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(list, phases.Cordoned))
	assert.Equal(t, newConfig, object.Status.ConfigVersion.Desired)
	assert.True(t, f.condition(t, phases.UpdatePrepared).LastTransitionTime.Time.Equal(start), "the time of the report, not of the write")
}

func TestRepeatOfWhatIsPendingIsPending(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	down := apierrors.NewServiceUnavailable("down")
	f.failing("patch", down)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	f.failing("get", down)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
}

// TestConflictInTheMiddleOfABegin: another process writes between the two writes of a begin.
func TestConflictInTheMiddleOfABegin(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.annotate(oldConfig, "rendered-worker-ccc")
	f.clientset.ClearActions()
	f.failing("patch", nil, nil, apierrors.NewConflict(resource, nodeName, errors.New("modified")))
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, []string{"patch", "patch/status", "patch/status", "get", "patch/status"}, f.requests(), "the spec, the reset, UpdatePrepared")
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
}

// TestWritesCarryTheirResourceVersion: that of the object which the write was computed from.
func TestWritesCarryTheirResourceVersion(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	server := &cannedServer{object: updatedObject(t)}
	server.object.Generation, server.object.Status.ObservedGeneration = 4, 5 // as written by older daemons
	m := monitorOn(t, server, &node)
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	assert.Equal(t, "17966", server.sent.ResourceVersion)
	assert.EqualValues(t, 5, server.sent.Status.ObservedGeneration, "it never decreases")
	server.object.Generation = 6
	require.NoError(t, m.ReportDegraded(t.Context(), nil))
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	assert.EqualValues(t, 6, server.sent.Status.ObservedGeneration, "the generation that was read")
}

func TestRejectionOfAPendingReport(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.failing("patch", apierrors.NewServiceUnavailable("down"))
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	f.clientset.ClearActions()
	f.failing("get", apierrors.NewServiceUnavailable("down"))
	require.ErrorIs(t, f.tryReport(t, phases.Cordoned, metav1.ConditionTrue), upgrademonitor.ErrPending)
	require.NoError(t, f.Flush(t.Context()))
	var rejected *phases.TransitionError
	require.ErrorAs(t, f.tryReport(t, phases.Drained, metav1.ConditionFalse), &rejected)
}

func TestErrorsOfAReadAreNotNotFound(t *testing.T) {
	for name, err := range map[string]error{
		"500":     apierrors.NewInternalError(errors.New("etcd")),
		"429":     apierrors.NewTooManyRequests("slow down", 1),
		"timeout": apierrors.NewTimeoutError("slow", 1),
		"403":     apierrors.NewForbidden(resource, nodeName, errors.New("RBAC")),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.failing("get", err)
			got := f.tryReport(t, phases.Drained, metav1.ConditionUnknown)
			require.ErrorIs(t, got, upgrademonitor.ErrPending)
			assert.Equal(t, apierrors.ReasonForError(err), apierrors.ReasonForError(got))
			assert.Equal(t, []string{"get"}, f.requests(), "no create")
		})
	}
}

func TestInvalidReportIsDropped(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.failing("patch", apierrors.NewInvalid(kind, nodeName, field.ErrorList{field.Invalid(field.NewPath("status"), "x", "no good")}))
	err := f.tryReport(t, phases.Drained, metav1.ConditionUnknown)
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	require.NotErrorIs(t, err, upgrademonitor.ErrPending)
	require.NoError(t, f.tryReport(t, phases.Cordoned, metav1.ConditionUnknown))
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.Drained).Status)
}

func TestPolicyDenialIsKept(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	denial := apierrors.NewInvalid(kind, nodeName, nil)
	denial.ErrStatus.Message = `ValidatingAdmissionPolicy 'mcn-guards' with binding 'mcn-guards' denied request: no`
	f.failing("patch", denial)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
}

func TestConflictIsRetriedFromAFreshRead(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	stale := apierrors.NewConflict(resource, nodeName, errors.New("the object has been modified"))
	f.failing("patch", stale, stale)
	require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
	assert.Equal(t, []string{"patch/status", "get", "patch/status", "get", "patch/status"}, f.requests())
}

func TestConflictOfFieldManagersIsNotRetried(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	conflict := apierrors.NewApplyConflict([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict}}, "conflict with other")
	f.failing("patch", conflict)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	assert.Equal(t, []string{"patch/status"}, f.requests())
}

func TestDeletedObjectIsCreatedAgain(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	require.NoError(t, f.clientset.MachineconfigurationV1().MachineConfigNodes().Delete(t.Context(), nodeName, metav1.DeleteOptions{}))
	f.clientset.ClearActions()
	f.failing("patch", apierrors.NewNotFound(resource, nodeName))
	require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
	assert.Equal(t, []string{"patch/status", "get", "create", "patch/status"}, f.requests())
}

func TestRunWritesWhatIsPending(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	attempts := make(chan struct{}, 10)
	down := apierrors.NewServiceUnavailable("down")
	f.failing("patch", down, down)
	f.clientset.PrependReactor("patch", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		attempts <- struct{}{}
		return false, nil, nil
	})
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	<-attempts

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	<-attempts // fails again
	<-attempts
	require.NoError(t, f.Flush(t.Context()))
	cancel()
	require.NoError(t, <-ended)
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
}

// hangingServer answers nothing until it is released.
type hangingServer struct {
	http.RoundTripper
	release chan struct{}
}

func (s *hangingServer) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-s.release:
	case <-r.Context().Done():
	}
	if err := r.Context().Err(); err != nil {
		return nil, err // of a call that has returned
	}
	return s.RoundTripper.RoundTrip(r)
}

func TestNobodyWaitsLongerThanTheTimeout(t *testing.T) {
	const timeout = 50 * time.Millisecond
	node := annotated(oldConfig, oldConfig)
	server := &hangingServer{RoundTripper: &cannedServer{object: updatedObject(t)}, release: make(chan struct{})}
	m := monitorOn(t, server, &node, func(c *upgrademonitor.Config) { c.Timeout = timeout })

	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "NodeDegraded", fmt.Sprint("cause ", i), metav1.ConditionTrue)
			assert.ErrorIs(t, err, upgrademonitor.ErrPending)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
	callers.Wait() // otherwise the test times out, and prints who waits

	short, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	require.ErrorIs(t, m.Flush(short), upgrademonitor.ErrPending)
	close(server.release)
	require.NoError(t, m.Flush(t.Context()))
}

func TestManyGoroutinesOnOneMonitor(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	cycle := []phases.Phase{phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS, phases.NodeDegraded}
	var callers sync.WaitGroup
	for _, p := range cycle {
		callers.Go(func() {
			for i := range 25 {
				assert.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), p, "Working", fmt.Sprint("step ", i), metav1.ConditionUnknown))
			}
			assert.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), p, "Done", "done", metav1.ConditionTrue))
		})
	}
	callers.Wait()
	object := f.object(t)
	for _, p := range cycle {
		assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(object.Status.Conditions, p), p)
	}
}

func TestContextThatEndsLaterLeavesTheReportPending(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	server := &hangingServer{RoundTripper: &cannedServer{object: updatedObject(t)}, release: make(chan struct{})}
	m := monitorOn(t, server, &node)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := m.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "Drained", "", metav1.ConditionUnknown)
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(server.release)
	require.NoError(t, m.Flush(t.Context()))
}

func TestPendingIsBounded(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.clientset.PrependReactor("*", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("down")
	})
	accepted := 0
	for i := range 2000 {
		p, status := phases.Drained, metav1.ConditionTrue
		switch i % 3 {
		case 0:
			p, status = phases.Updated, metav1.ConditionFalse
		case 2:
			p = phases.Updated
		}
		err := f.GenerateAndApplyMachineConfigNode(t.Context(), p, "Chatty", fmt.Sprint(i), status)
		if errors.Is(err, upgrademonitor.ErrQueueFull) {
			require.NotErrorIs(t, err, upgrademonitor.ErrPending)
			break
		}
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		accepted++
	}
	assert.Equal(t, 256, accepted)
}

func TestChattyCallerIsAlwaysAccepted(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	down := true
	f.clientset.PrependReactor("*", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return down, nil, apierrors.NewServiceUnavailable("down")
	})
	for i := range 400 {
		status := []metav1.ConditionStatus{metav1.ConditionUnknown, metav1.ConditionTrue}[i%2]
		err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Chatty", fmt.Sprint(i), status)
		require.ErrorIs(t, err, upgrademonitor.ErrPending, "%d", i)
	}
	down = false
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, "399", f.condition(t, phases.Drained).Message)
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Drained).Status)
}

// A call is accepted or rejected at once, by the state that the Monitor knows.
func TestRejectedAtOnceInAnOutage(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.outage(errDown)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	err := f.tryReport(t, phases.Drained, metav1.ConditionFalse) // Unknown to False: rejected
	var rejected *phases.TransitionError
	assert.ErrorAs(t, err, &rejected)
	assert.NotErrorIs(t, err, upgrademonitor.ErrPending, "it will not be written")
}

// A caller that repeats a reported status does not get the error of another's report.
func TestNoopDoesNotGetAnothersError(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	inFlight, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		once.Do(func() { close(inFlight) })
		<-release
		return true, nil, apierrors.NewInvalid(kind, nodeName, nil)
	})
	other := make(chan error)
	go func() {
		other <- f.ReportPinnedImageSets(context.Background(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1}})
	}()
	<-inFlight
	assert.NoError(t, f.tryReport(t, phases.Updated, metav1.ConditionTrue), "reported already")
	close(release)
	assert.Error(t, <-other)
}

// A CRD that is not installed yet costs few requests.
func TestNoCRDFewRequests(t *testing.T) {
	f := newFixture(t)
	f.outage(apierrors.NewGenericServerResponse(404, "get", resource, "", "404 page not found", 0, true))
	_ = f.tryReport(t, phases.Updated, metav1.ConditionTrue)
	n := len(f.requests())
	assert.LessOrEqual(t, n, 2, "requests of one report")
}

// The text of an error is read when it is reported.
func TestErrorTextOfAcceptance(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	down := f.outage(errDown)
	err := &mutableError{text: "as reported"}
	require.ErrorIs(t, f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1, Err: err}}), upgrademonitor.ErrPending)
	err.text = "changed later by the caller"
	down.Store(false)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, "as reported", f.object(t).Status.PinnedImageSets[0].LastFailedGenerationError)
}

type mutableError struct{ text string }

func (e *mutableError) Error() string { return e.text }

// Unlike a 422, a 400 is retried: it may come from a proxy.
func TestBadRequestIsRetried(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.failing("patch", apierrors.NewBadRequest("admission webhook \"x\" denied the request"))
	err := f.tryReport(t, phases.Drained, metav1.ConditionUnknown)
	assert.ErrorIs(t, err, upgrademonitor.ErrPending)
}

// A 413 is terminal, and blocks no other report.
func TestTooLargeBlocksNothing(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if strings.Contains(string(a.(clienttesting.PatchAction).GetPatch()), `"name":"big"`) {
			return true, nil, apierrors.NewRequestEntityTooLargeError("limit is 3145728")
		}
		return false, nil, nil
	})
	_ = f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "big", Generation: 1}})
	assert.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), "the next report")
}

// Others may fill an object: the longest texts are shortened until it fits, rather than dropped.
func TestTooLargeIsShortened(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	attempts := 0
	f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		attempts++
		if len(a.(clienttesting.PatchAction).GetPatch()) > 10_000 {
			return true, nil, apierrors.NewRequestEntityTooLargeError("limit is 10000")
		}
		return false, nil, nil
	})
	long := strings.Repeat("m", 30_000)
	for range 2 {
		require.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "R", long, metav1.ConditionTrue))
		assert.LessOrEqual(t, attempts, 5, "a repeat makes none")
	}
	message := f.condition(t, phases.NodeDegraded).Message
	assert.Greater(t, len(message), 3_000)
	assert.Contains(t, message, conditions.TruncationMark)
}

// If the context ends after the report is accepted, ErrPending wraps its error.
func TestPendingWrapsTheContextsError(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewConflict(resource, nodeName, errors.New("changed"))
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "D", "d", metav1.ConditionUnknown)
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	require.Error(t, ctx.Err())
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// A panic of a function of Config that the caller recovers leaves nothing locked.
func TestPanicOfPoolLocksNothing(t *testing.T) {
	var pools []string // the first call panics
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return pools[0], nil }
	})
	func() {
		defer func() { _ = recover() }()
		_ = f.tryReport(t, phases.Updated, metav1.ConditionTrue)
	}()
	pools = []string{"worker"}
	assert.NoError(t, f.tryReport(t, phases.Updated, metav1.ConditionTrue))
}
