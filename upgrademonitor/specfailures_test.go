package upgrademonitor_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// failSpec has writes of the spec fail with the error, until it is nil.
func (f *fixture) failSpec(err error) *error {
	f.clientset.PrependReactor("patch", resource.Resource, func(a clienttesting.Action) (bool, runtime.Object, error) {
		return err != nil && a.GetSubresource() == "", nil, err
	})
	return &err
}

var (
	errDeniedSpec = apierrors.NewForbidden(resource, nodeName, errors.New("no patch of the spec"))
	errWebhook    = apierrors.NewInternalError(errors.New(`failed calling webhook "spec.example.com": connection refused`))
)

// A begin for another target writes the spec, even if it changes nothing in the status.
func TestSpecFollowsABeginThatChangesNoStatus(t *testing.T) {
	const third = "rendered-worker-ccc"
	for _, begin := range []func(*fixture){
		func(f *fixture) { f.report(t, phases.Updated, metav1.ConditionFalse) },
		func(f *fixture) { f.report(t, phases.UpdatePrepared, metav1.ConditionUnknown) },
	} {
		f := newFixture(t)
		f.reportUpdated(t)
		f.annotate(oldConfig, newConfig)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		f.report(t, phases.UpdatePrepared, metav1.ConditionUnknown)
		f.annotate(oldConfig, third)
		begin(f)
		assert.Equal(t, third, f.object(t).Spec.ConfigVersion.Desired)
		f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		assert.Equal(t, third, f.object(t).Status.ConfigVersion.Desired)
	}
}

// A begin whose spec is denied reports on the status; its repeat writes the spec once that is
// allowed.
func TestRepeatOfABeginWritesTheSpec(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	err := f.failSpec(errDeniedSpec)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.Updated).Status)
	assert.Equal(t, oldConfig, f.object(t).Spec.ConfigVersion.Desired)

	*err = nil
	f.clientset.ClearActions()
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, []string{"patch"}, f.requests())
	assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired)
	f.clientset.ClearActions()
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Empty(t, f.requests())
}

// A begin whose spec cannot be written now is tried once more, and then reports on the status.
func TestBeginWhoseSpecFails(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	err := f.failSpec(errWebhook)
	f.annotate(oldConfig, newConfig)
	require.ErrorIs(t, f.tryReport(t, phases.Updated, metav1.ConditionFalse), upgrademonitor.ErrPending)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.Updated).Status)
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)

	*err = nil
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired)
}

// A queue that is full behind a denied spec is written by the next call.
func TestFullQueueBehindADeniedSpec(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.failSpec(errDeniedSpec)
	down := f.outage(errDown)
	f.annotate(oldConfig, newConfig)
	require.ErrorIs(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()), upgrademonitor.ErrPending)
	for n := 0; ; n++ {
		f.annotate(oldConfig, fmt.Sprintf("rendered-worker-%d", n))
		if err := f.tryReport(t, phases.Updated, metav1.ConditionFalse); errors.Is(err, upgrademonitor.ErrQueueFull) {
			break
		}
	}
	down.Store(false)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.NodeDegraded).Status)
	assert.Equal(t, 1, upgrademonitor.QueueLen(f.Monitor), "the spec")
}

// A write of the spec that hangs leaves time for the status behind it.
func TestSpecThatHangs(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	server := &cannedServer{object: updatedObject(t)}
	m := monitorOn(t, roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPatch && !strings.HasSuffix(r.URL.Path, "/status") {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return server.RoundTrip(r)
	}), &node, func(c *upgrademonitor.Config) { c.Timeout = time.Second })
	require.NoError(t, m.ReportDegraded(t.Context(), nil))
	node = annotated(oldConfig, newConfig)
	require.ErrorIs(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()), upgrademonitor.ErrPending)
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	assert.Equal(t, 1, upgrademonitor.QueueLen(m), "the spec")
}

// A denied spec is logged once, and not as over with each report that is written.
func TestDeniedSpecIsLoggedOnce(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	var log logLines
	ctx := log.context(t.Context())
	err := f.failSpec(errDeniedSpec)
	f.annotate(oldConfig, newConfig)
	require.ErrorIs(t, f.GenerateAndApplyMachineConfigNodeSpec(ctx), upgrademonitor.ErrPending)
	for n := range 5 {
		require.NoError(t, f.ReportDegraded(ctx, fmt.Errorf("cause %d", n)))
	}
	require.Len(t, log.take(), 1)
	*err = nil
	require.NoError(t, f.Flush(ctx))
	lines := log.take()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "works again")
}

// Each outage of the spec that a report would write is logged.
func TestSkippedSpecIsLoggedAgain(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	var log logLines
	ctx := log.context(t.Context())
	for _, config := range []string{newConfig, "rendered-worker-ccc"} {
		err := f.failSpec(errDeniedSpec)
		f.annotate(oldConfig, config)
		for range 2 {
			require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "Updating", metav1.ConditionFalse))
		}
		lines := log.take()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], "updating only its status")
		*err = nil
		require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "Updating", metav1.ConditionFalse))
		require.Len(t, log.take(), 1, "over")
	}
}
