package upgrademonitor_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Report is one line per call site.
func TestReportLogsWhatItCannotDo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		var log logLines
		ctx := log.context(t.Context())

		f.Report(ctx, phases.Drained, "drained", metav1.ConditionTrue)
		assert.Equal(t, "UpdateExecutedDrained", f.condition(t, phases.Drained).Reason, "the conventional reason")
		f.Report(ctx, phases.Cordoned, "cordoned", metav1.ConditionTrue, upgrademonitor.Reason("Mine"))
		assert.Equal(t, "Mine", f.condition(t, phases.Cordoned).Reason)
		assert.Empty(t, log.take())

		f.Report(ctx, "Rested", "", metav1.ConditionTrue)
		f.Report(ctx, phases.Updated, "", metav1.ConditionUnknown)
		require.Len(t, log.take(), 2, "a mistake of the caller")

		ended, cancel := context.WithCancel(ctx)
		cancel()
		f.Report(ended, phases.Drained, "", metav1.ConditionUnknown)
		require.Len(t, log.take(), 1)

		f.outage(errDown)
		f.Report(ctx, phases.Drained, "", metav1.ConditionUnknown)
		assert.Empty(t, log.take(), "a pending report is not an error of the call")
		lines := f.log.take()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], "Failed to write the MachineConfigNode")
	})
}

// Report and Track do nothing for a phase of the other mode: callers need no "if imageMode".
func TestPhaseOfTheOtherMode(t *testing.T) {
	on := false
	f := newFixture(t, inImageMode(&on))
	f.reportUpdated(t)
	var log logLines
	ctx := log.context(t.Context())
	ran := 0
	for _, imageMode := range []bool{false, true} {
		on = imageMode
		other := map[bool]phases.Phase{false: phases.AppliedOSImage, true: phases.AppliedFilesAndOS}[imageMode]
		f.Report(ctx, other, "", metav1.ConditionTrue)
		require.NoError(t, f.Track(ctx, other, "", func(context.Context) error { ran++; return nil }))
	}
	assert.Equal(t, 2, ran, "the work runs")
	assert.Empty(t, f.requests())
	assert.Empty(t, log.take())
}

func TestTrackOptions(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	work := func(context.Context) error {
		applied := f.condition(t, phases.AppliedFilesAndOS)
		assert.Equal(t, []string{"Mine", "applying"}, []string{applied.Reason, applied.Message})
		assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdateExecuted).Status)
		return nil
	}
	require.NoError(t, f.Track(t.Context(), phases.AppliedFilesAndOS, "applying", work, upgrademonitor.CompletesParent(),
		upgrademonitor.Reason("Mine"), upgrademonitor.DoneMessage("applied"), upgrademonitor.ParentMessage("executing")))
	applied, executed := f.condition(t, phases.AppliedFilesAndOS), f.condition(t, phases.UpdateExecuted)
	assert.Equal(t, []string{"True", "Mine", "applied"}, []string{string(applied.Status), applied.Reason, applied.Message})
	assert.Equal(t, []string{"True", "executing"}, []string{string(executed.Status), executed.Message})
}

func TestTrackOfATypedNilError(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	var none *fs.PathError
	err := f.Track(t.Context(), phases.Drained, "draining", func(context.Context) error { return none })
	assert.Equal(t, error(none), err, "the work's own error, whatever it is")
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
}

func TestReasonOption(t *testing.T) {
	f := newFixture(t)
	err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Drained", "", metav1.ConditionTrue, upgrademonitor.Reason("Mine"))
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	assert.Empty(t, f.requests())
}

// A step that is not needed any more does not keep its parent from completing.
func TestNotRequired(t *testing.T) {
	for name, tc := range map[string]struct {
		before, want metav1.ConditionStatus
	}{
		"not started": {"", metav1.ConditionFalse},
		"failed":      {metav1.ConditionUnknown, metav1.ConditionTrue},
		"done":        {metav1.ConditionTrue, metav1.ConditionTrue},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.reportUpdated(t)
			f.annotate(oldConfig, newConfig)
			f.report(t, phases.Updated, metav1.ConditionFalse)
			if tc.before != "" {
				f.report(t, phases.Drained, tc.before)
			}
			f.NotRequired(t.Context(), phases.Drained, "Drain not required")
			drained := f.condition(t, phases.Drained)
			assert.Equal(t, []string{string(tc.want), "UpdateExecutedDrained", "Drain not required"}, []string{string(drained.Status), drained.Reason, drained.Message})
			f.report(t, phases.AppliedFilesAndOS, metav1.ConditionTrue)
			f.report(t, phases.UpdateExecuted, metav1.ConditionTrue)
		})
	}

	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	f.requests()
	f.NotRequired(t.Context(), phases.NodeDegraded, "not a step")
	assert.Empty(t, f.requests(), "a Singleton is reported with its status")
}

// Without ImageMode the mode is that of the object: a controller removes no condition of it.
func TestModeOfTheObject(t *testing.T) {
	on := true
	daemon := newFixture(t, inImageMode(&on))
	daemon.reportUpdated(t)
	daemon.annotate(oldConfig, newConfig)
	daemon.report(t, phases.Updated, metav1.ConditionFalse)
	daemon.report(t, phases.AppliedFiles, metav1.ConditionTrue)
	controller := daemon.another(t)
	controller.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, metav1.ConditionTrue, daemon.condition(t, phases.AppliedFiles).Status)
	controller.Report(t.Context(), phases.AppliedFilesAndOS, "", metav1.ConditionTrue) // of the other mode: nothing
	require.Error(t, controller.tryReport(t, phases.AppliedFilesAndOS, metav1.ConditionTrue))
	assert.Len(t, daemon.object(t).Status.Conditions, len(phases.All(true)))
}

// Today's daemon creates ImagePulledFromRegistry in standard mode, too: that does not make it image mode.
func TestModeOfAnObjectOfTodaysDaemon(t *testing.T) {
	f := newFixture(t)
	f.report(t, phases.AppliedFilesAndOS, metav1.ConditionUnknown)
	mcn := f.object(t)
	mcn.Status.Conditions = append(mcn.Status.Conditions, *conditions.Find(conditions.Complete(nil, true, metav1.NewTime(start)), phases.ImagePulledFromRegistry))
	_, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().UpdateStatus(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	controller := f.another(t)
	controller.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.AppliedFilesAndOS).Status)
}
