package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func (w *testNode) status(p phases.Phase) metav1.ConditionStatus {
	w.t.Helper()
	c, ok := statusOf(w.object().Status.Conditions, string(p))
	require.True(w.t, ok, p)
	return c.Status
}

// The controller that drains does not know the mode of the nodes.
func TestTheModeOfAnObjectIsKeptByAControllerThatDoesNotKnowIt(t *testing.T) {
	for _, image := range []bool{true, false} {
		w := newImageModeNode(t, map[bool]string{true: "mode-image", false: "mode-standard"}[image])
		w.imageMode = image
		w.annotateImages(oldConfig, newConfig, oldImage, newImage)
		daemon, _ := w.monitor("master")
		call{phases.Updated, no, nil}.make(t, daemon)
		before := w.object()
		controller, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: w.admin}, func(string) (*corev1.Node, error) { return w.node, nil })
		require.NoError(t, err)

		controller.Report(t.Context(), w.name, phases.Drained, "Draining", running)
		controller.Report(t.Context(), w.name, phases.Drained, "Drained", done)
		monitor, err := controller.Get(w.name)
		require.NoError(t, err)
		require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		monitor.Report(t.Context(), phases.AppliedFiles, "in image mode only", done)
		monitor.Report(t.Context(), phases.AppliedFilesAndOS, "in standard mode only", done)
		after := w.object()
		all := map[bool][]string{true: imageMode, false: standardMode}[image]
		assert.Len(t, after.Status.Conditions, len(all))
		for _, p := range all {
			_, ok := statusOf(after.Status.Conditions, p)
			assert.True(t, ok, p)
		}
		assert.Equal(t, before.Status.ConfigImage, after.Status.ConfigImage)
		assert.Equal(t, before.Spec.ConfigImage, after.Spec.ConfigImage)
		assert.Equal(t, done, w.status(phases.Drained))
	}
}

// A pull fails, and at the retry the image is there; a drain is not needed at all.
func TestNotRequiredIsDoneIfItHasStartedAndNothingElse(t *testing.T) {
	w := newImageModeNode(t, "not-required")
	w.reportUpdated()
	h := watchFrom(t, w)
	m, _ := w.monitor("master")
	w.annotateImages(oldConfig, oldConfig, "", newImage)
	call{phases.Updated, no, nil}.make(t, m)
	call{phases.UpdatePrepared, done, nil}.make(t, m)
	failed := errors.New("503 Service Unavailable")
	require.Equal(t, failed, m.Track(t.Context(), phases.ImagePulledFromRegistry, "Pulling", func(context.Context) error { return failed }))
	call{phases.AppliedOSImage, done, []upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}}.make(t, m)
	assert.Equal(t, running, w.status(phases.UpdateExecuted), "the pull is Unknown")

	m.NotRequired(t.Context(), phases.Drained, "No drain required")
	m.NotRequired(t.Context(), phases.ImagePulledFromRegistry, "The image is there", upgrademonitor.CompletesParent())
	assert.Equal(t, no, w.status(phases.Drained))
	assert.Equal(t, done, w.status(phases.ImagePulledFromRegistry))
	assert.Equal(t, done, w.status(phases.UpdateExecuted))
	w.annotateImages(oldConfig, oldConfig, newImage, newImage)
	call{phases.Updated, done, nil}.make(t, m)
	h.catchUp()
	h.check()
	h.checkEnded()
}

func TestAParentIsNotDoneWhileAChildRuns(t *testing.T) {
	w := newTestNode(t, "parent-refused")
	w.reportUpdated()
	m, requests := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	call{phases.Updated, no, nil}.make(t, m)
	call{phases.Drained, running, nil}.make(t, m)
	total := requests.all()
	err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.UpdateExecuted, "Done", "executed", done)
	var refused *phases.TransitionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, phases.Drained, refused.Child)
	assert.Equal(t, total, requests.all())
	call{phases.Drained, done, nil}.make(t, m)
	call{phases.UpdateExecuted, done, nil}.make(t, m)
	assert.Equal(t, done, w.status(phases.UpdateExecuted))
}

// The operator desires another config, and the daemon has not begun the update: kubectl does not
// take its reports, or a restart, for the end of that update.
func TestKubectlWaitsForTheConfigThatTheSpecDesires(t *testing.T) {
	w := newTestNode(t, "kubectl-waits")
	w.reportUpdated()
	wait := func(timeout string) error {
		_, err := standard.Kubectl(t.Context(), "wait", "--for=condition=Updated", "--timeout="+timeout, "machineconfignode/"+w.name)
		return err
	}
	require.NoError(t, wait("30s"), "updated")

	operator, _ := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	require.NoError(t, operator.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	m, _ := w.monitor("master")
	for name, report := range map[string]func(){
		"nothing": func() {},
		"image sets": func() {
			m.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1}}, nil)
		},
		"a restart": func() { m.Report(t.Context(), phases.Resumed, "restarted", done) },
		"degraded":  func() { m.ReportDegraded(t.Context(), errors.New("disk full")) },
		"updated":   func() { m.Report(t.Context(), phases.Updated, "again", done) },
	} {
		report()
		require.False(t, isPending(m))
		assert.ErrorContains(t, wait("1s"), "timed out", name)
		object := w.object()
		assert.Less(t, object.Status.ObservedGeneration, object.Generation, name)
	}

	ended := make(chan error, 1)
	go func() { ended <- wait("60s") }()
	w.rebootUpdate(m)
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(time.Minute):
		assert.Fail(t, "kubectl still waits")
	}
}

// The node has the config of the update, and is already wanted elsewhere: nothing has validated that.
func TestTheEndOfAnUpdateKeepsTheDesiredConfigThatWasValidated(t *testing.T) {
	w := newTestNode(t, "wanted-elsewhere")
	w.reportUpdated()
	m, _ := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	for _, c := range rebootCalls[:len(rebootCalls)-1] {
		c.make(t, m)
	}
	w.annotate(newConfig, "rendered-master-third")
	call{phases.Updated, done, nil}.make(t, m)
	status := w.object().Status
	assert.Equal(t, newConfig, status.ConfigVersion.Current)
	assert.Equal(t, newConfig, status.ConfigVersion.Desired)
	call{phases.Updated, no, nil}.make(t, m)
	assert.Equal(t, newConfig, w.object().Status.ConfigVersion.Desired)
	call{phases.UpdatePrepared, done, nil}.make(t, m)
	assert.Equal(t, "rendered-master-third", w.object().Status.ConfigVersion.Desired)
}
