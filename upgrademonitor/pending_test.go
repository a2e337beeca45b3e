package upgrademonitor_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
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
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

var (
	resource = schema.GroupResource{Group: "machineconfiguration.openshift.io", Resource: "machineconfignodes"}
	kind     = schema.GroupKind{Group: resource.Group, Kind: "MachineConfigNode"}
)

// failing makes requests of a verb fail, in order, with these errors; nil is a success.
func (f *fixture) failing(verb string, errs ...error) {
	f.fails(func(a clienttesting.Action) (bool, error) {
		if len(errs) == 0 || a.GetVerb() != verb {
			return false, nil
		}
		err := errs[0]
		errs = errs[1:]
		return err != nil, err
	})
}

func (f *fixture) tryReport(t *testing.T, p phases.Phase, status metav1.ConditionStatus) error {
	t.Helper()
	return f.GenerateAndApplyMachineConfigNode(t.Context(), p, string(p), "about "+string(p), status)
}

func TestWhatCannotBeWrittenIsKeptInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
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
			require.NoError(t, err)
		}
		f.clock.SetTime(start.Add(time.Hour))
		f.report(t, phases.Cordoned, metav1.ConditionTrue)
		require.NoError(t, f.Flush(t.Context()))

		object := f.object(t)
		list := object.Status.Conditions
		assert.Equal(t, metav1.ConditionFalse, conditions.StatusOf(list, phases.Updated))
		assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(list, phases.UpdatePrepared))
		assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(list, phases.Cordoned))
		assert.Equal(t, newConfig, object.Status.ConfigVersion.Desired)
		assert.True(t, f.condition(t, phases.UpdatePrepared).LastTransitionTime.Time.Equal(start), "the time of the report, not of the write")
	})
}

// TestConflictInTheMiddleOfABegin: another process writes between the two writes of a begin.
func TestConflictInTheMiddleOfABegin(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.annotate(oldConfig, thirdConfig)
	f.clientset.ClearActions()
	f.failing("patch", nil, nil, apierrors.NewConflict(resource, nodeName, errors.New("modified")))
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, []string{"patch", "patch/status", "patch/status", "get", "patch/status"}, f.requests(), "the spec, the reset, UpdatePrepared")
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
}

// A status takes the generation that was read into account, and observedGeneration never decreases.
func TestObservedGeneration(t *testing.T) {
	node, server := annotated(oldConfig, oldConfig), newServer(t)
	observe := func(generation int64) {
		require.NoError(t, server.Write(nodeName, apiserver.StatusSubresource, func(mcn *mcfgv1.MachineConfigNode) { mcn.Status.ObservedGeneration = generation }))
	}
	observe(5) // as older daemons wrote it
	m := monitorOn(t, server, &node)
	m.ReportDegraded(t.Context(), errors.New("disk full"))
	assert.EqualValues(t, 5, server.Get(nodeName).Status.ObservedGeneration)
	for _, pool := range []string{"a", "b", "c", "d"} {
		require.NoError(t, server.Write(nodeName, "", func(mcn *mcfgv1.MachineConfigNode) { mcn.Spec.Pool.Name = pool }))
	}
	m.ReportDegraded(t.Context(), nil)
	assert.EqualValues(t, 6, server.Get(nodeName).Status.ObservedGeneration, "the generation that was read")
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

// A call is accepted or rejected at once, by the state that the Monitor knows.
func TestRejectedAtOnceInAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		f.outage(errDown)
		require.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown))
		err := f.tryReport(t, phases.Drained, metav1.ConditionFalse) // Unknown to False: rejected
		var rejected *phases.TransitionError
		assert.ErrorAs(t, err, &rejected)
		assert.NotErrorIs(t, err, upgrademonitor.ErrPending, "it will not be written")
	})
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
		other <- f.GenerateAndApplyMachineConfigNode(context.Background(), phases.NodeDegraded, "NodeDegraded", "", metav1.ConditionTrue)
	}()
	receive(t, inFlight, "a request is in flight")
	assert.NoError(t, f.tryReport(t, phases.Updated, metav1.ConditionTrue), "reported already")
	close(release)
	assert.Error(t, receive(t, other, "the other call has returned"))
}

// A CRD that is not installed yet costs few requests.
func TestNoCRDFewRequests(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.outage(apierrors.NewGenericServerResponse(404, "get", resource, "", "404 page not found", 0, true))
		_ = f.tryReport(t, phases.Updated, metav1.ConditionTrue)
		n := len(f.requests())
		assert.LessOrEqual(t, n, 2, "requests of one report")
	})
}

// The text of an error is read when it is reported.
func TestErrorTextOfAcceptance(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		err := &mutableError{text: "as reported"}
		f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1, Err: err}}, nil)
		err.text = "changed later by the caller"
		down.Store(false)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, "as reported", f.object(t).Status.PinnedImageSets[0].LastFailedGenerationError)
	})
}

type mutableError struct{ text string }

func (e *mutableError) Error() string { return e.text }

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
	f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "big", Generation: 1}}, nil)
	assert.NoError(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), "the next report")
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
