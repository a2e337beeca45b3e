package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// failing makes requests of a verb fail, in order, with the errors given; nil lets one through.
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

func (f *fixture) tell(t *testing.T, p phases.Phase, status metav1.ConditionStatus) error {
	t.Helper()
	return f.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status)
}

func TestWhatCannotBeWrittenIsKeptInOrder(t *testing.T) {
	down := apierrors.NewServiceUnavailable("etcd is down")
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.failing("patch", down, down, down)
	f.failing("get", nil, down, down) // an ambiguous write is followed by a read
	for _, p := range []phases.Phase{phases.Updated, phases.UpdatePrepared} {
		status := metav1.ConditionFalse
		if p != phases.Updated {
			status = metav1.ConditionTrue
		}
		err := f.tell(t, p, status)
		require.ErrorIs(t, err, upgrademonitor.ErrPending)
		assert.True(t, apierrors.IsServiceUnavailable(err), "it wraps the cause: %v", err)
	}
	f.clock.SetTime(start.Add(time.Hour))
	for f.tell(t, phases.Cordoned, metav1.ConditionTrue) != nil {
		// each call tries again
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
	f.settle(t)
	down := apierrors.NewServiceUnavailable("down")
	f.failing("patch", down)
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	f.failing("get", down)
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	require.NoError(t, f.tell(t, phases.Drained, metav1.ConditionUnknown))
}

// TestConflictInTheMiddleOfABegin has others write between the two writes of a begin.
func TestConflictInTheMiddleOfABegin(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.annotate(oldConfig, "rendered-worker-ccc")
	f.clientset.ClearActions()
	f.failing("patch", nil, apierrors.NewConflict(resource, nodeName, errors.New("modified")))
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, []string{"patch/status", "patch/status", "get", "patch/status"}, f.requests())
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
}

// TestWritesSayWhatTheyWereComputedFrom looks at what is sent.
func TestWritesSayWhatTheyWereComputedFrom(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	server := &cannedServer{object: settledObject(t)}
	server.object.Generation, server.object.Status.ObservedGeneration = 4, 5 // as older daemons have it
	m := monitorOver(t, server, &node)
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	assert.Equal(t, "17966", server.sent.ResourceVersion)
	assert.EqualValues(t, 5, server.sent.Status.ObservedGeneration, "it never decreases")
	server.object.Generation = 6
	require.NoError(t, m.ReportDegraded(t.Context(), nil))
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	assert.EqualValues(t, 6, server.sent.Status.ObservedGeneration, "the generation that was read")
}

func TestRefusalOfAPendingReport(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.failing("patch", apierrors.NewServiceUnavailable("down"))
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	f.clientset.ClearActions()
	f.failing("get", apierrors.NewServiceUnavailable("down"))
	require.ErrorIs(t, f.tell(t, phases.Cordoned, metav1.ConditionTrue), upgrademonitor.ErrPending)
	require.NoError(t, f.Flush(t.Context()))
	var refused *phases.TransitionError
	require.ErrorAs(t, f.tell(t, phases.Drained, metav1.ConditionFalse), &refused)
}

func TestErrorsOfAReadAreNoMissingObject(t *testing.T) {
	for name, err := range map[string]error{
		"500":     apierrors.NewInternalError(errors.New("etcd")),
		"429":     apierrors.NewTooManyRequests("slow down", 1),
		"timeout": apierrors.NewTimeoutError("slow", 1),
		"403":     apierrors.NewForbidden(resource, nodeName, errors.New("RBAC")),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.failing("get", err)
			got := f.tell(t, phases.Drained, metav1.ConditionUnknown)
			require.ErrorIs(t, got, upgrademonitor.ErrPending)
			assert.Equal(t, apierrors.ReasonForError(err), apierrors.ReasonForError(got))
			assert.Equal(t, []string{"get"}, f.requests(), "no create")
		})
	}
}

func TestInvalidIsDroppedAndBlocksNothing(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	f.failing("patch", apierrors.NewInvalid(kind, nodeName, field.ErrorList{field.Invalid(field.NewPath("status"), "x", "no good")}))
	err := f.tell(t, phases.Drained, metav1.ConditionUnknown)
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	require.NotErrorIs(t, err, upgrademonitor.ErrPending)
	require.NoError(t, f.tell(t, phases.Cordoned, metav1.ConditionUnknown))
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.Drained).Status)
}

func TestPolicyDenialIsKept(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	denial := apierrors.NewInvalid(kind, nodeName, nil)
	denial.ErrStatus.Message = `ValidatingAdmissionPolicy 'mcn-guards' with binding 'mcn-guards' denied request: no`
	f.failing("patch", denial)
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
}

func TestConflictReadsAndComputesAnew(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	stale := apierrors.NewConflict(resource, nodeName, errors.New("the object has been modified"))
	f.failing("patch", stale, stale)
	require.NoError(t, f.tell(t, phases.Drained, metav1.ConditionUnknown))
	assert.Equal(t, []string{"patch/status", "get", "patch/status", "get", "patch/status"}, f.requests())
}

func TestConflictOfFieldManagersIsNotRetried(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	conflict := apierrors.NewApplyConflict([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict}}, "conflict with other")
	f.failing("patch", conflict)
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	assert.Equal(t, []string{"patch/status"}, f.requests())
}

func TestDeletedObjectIsMadeAnew(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	require.NoError(t, f.clientset.MachineconfigurationV1().MachineConfigNodes().Delete(t.Context(), nodeName, metav1.DeleteOptions{}))
	f.clientset.ClearActions()
	f.failing("patch", apierrors.NewNotFound(resource, nodeName))
	require.NoError(t, f.tell(t, phases.Drained, metav1.ConditionUnknown))
	assert.Equal(t, []string{"patch/status", "get", "create", "patch/status"}, f.requests())
}

func TestRunWritesWhatIsPending(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
	tried := make(chan struct{}, 10)
	down := apierrors.NewServiceUnavailable("down")
	f.failing("patch", down, down)
	f.clientset.PrependReactor("patch", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		tried <- struct{}{}
		return false, nil, nil
	})
	require.ErrorIs(t, f.tell(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	<-tried

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	<-tried // fails again
	<-tried
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
		return s.RoundTripper.RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func TestNobodyWaitsLongerThanTheTimeout(t *testing.T) {
	const timeout = 50 * time.Millisecond
	node := annotated(oldConfig, oldConfig)
	server := &hangingServer{RoundTripper: &cannedServer{object: settledObject(t)}, release: make(chan struct{})}
	m := monitorOver(t, server, &node, func(c *upgrademonitor.Config) { c.Timeout = timeout })

	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "NodeDegraded", fmt.Sprint("cause ", i), metav1.ConditionTrue)
			assert.ErrorIs(t, err, upgrademonitor.ErrPending)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
	callers.Wait() // or the test's own limit says who waited

	short, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	require.ErrorIs(t, m.Flush(short), upgrademonitor.ErrPending)
	close(server.release)
	require.NoError(t, m.Flush(t.Context()))
}

func TestManyGoroutinesOnOneMonitor(t *testing.T) {
	f := newFixture(t)
	f.settle(t)
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
	server := &hangingServer{RoundTripper: &cannedServer{object: settledObject(t)}, release: make(chan struct{})}
	m := monitorOver(t, server, &node)
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
	f.settle(t)
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
		if errors.Is(err, upgrademonitor.ErrTooMuchPending) {
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
	f.settle(t)
	down := true
	f.clientset.PrependReactor("*", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return down, nil, apierrors.NewServiceUnavailable("down")
	})
	for i := range 1000 {
		status := []metav1.ConditionStatus{metav1.ConditionUnknown, metav1.ConditionTrue}[i%2]
		err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Chatty", fmt.Sprint(i), status)
		require.ErrorIs(t, err, upgrademonitor.ErrPending, "%d", i)
	}
	down = false
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, "999", f.condition(t, phases.Drained).Message)
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Drained).Status)
}
