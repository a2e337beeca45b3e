package upgrademonitor_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

func TestAReportThatIsNotAcceptedMakesNoRequest(t *testing.T) {
	const yes, running = metav1.ConditionTrue, metav1.ConditionUnknown
	type opts = []upgrademonitor.Option
	parent := upgrademonitor.CompletesParent()
	for name, tc := range map[string]struct {
		phase  phases.Phase
		reason string
		status metav1.ConditionStatus
		opts   opts
		field  string // of the *field.Error
	}{
		"unknown phase":                                {"Rested", "R", yes, nil, "phase"},
		"empty phase":                                  {"", "R", yes, nil, "phase"},
		"bad status":                                   {phases.Drained, "R", "Maybe", nil, "status"},
		"empty status":                                 {phases.Drained, "R", "", nil, "status"},
		"empty reason":                                 {phases.Drained, "", yes, nil, "reason"},
		"reason with a space":                          {phases.Drained, "not good", yes, nil, "reason"},
		"reason with a line feed":                      {phases.Drained, "Good\n", yes, nil, "reason"},
		"reason that ends in a comma":                  {phases.Drained, "Good,", yes, nil, "reason"},
		"reserved reason":                              {phases.Drained, "NotYetOccurred", yes, nil, "reason"},
		"reason reserved by older daemons":             {phases.Drained, "NotYetOccured", yes, nil, "reason"},
		"reason that is too long":                      {phases.Drained, strings.Repeat("a", 1025), yes, nil, "reason"},
		"CompletesParent with the status Unknown":      {phases.Drained, "R", running, opts{parent}, "opts[CompletesParent]"},
		"CompletesParent for a phase without a parent": {phases.Resumed, "R", yes, opts{parent}, "opts[CompletesParent]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				err := f.GenerateAndApplyMachineConfigNode(t.Context(), tc.phase, tc.reason, "", tc.status, tc.opts...)
				var rejected *upgrademonitor.ReportError
				require.ErrorAs(t, err, &rejected)
				assert.Equal(t, tc.phase, rejected.Phase)
				var invalid *field.Error
				require.ErrorAs(t, err, &invalid)
				assert.Equal(t, tc.field, invalid.Field)
				assert.NotErrorIs(t, err, upgrademonitor.ErrPending)
				assert.Empty(t, f.requests())
			})
		})
	}
	t.Run("an invalid transition", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			var rejected *phases.TransitionError
			require.ErrorAs(t, f.tryReport(t, phases.Updated, running), &rejected)
			assert.Equal(t, running, rejected.To)
			assert.Equal(t, []string{"get"}, f.requests(), "a rejected report creates no object")
		})
	})
	t.Run("ctx has ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.Equal(t, context.Canceled, f.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "R", "", yes))
			require.Equal(t, context.Canceled, f.GenerateAndApplyMachineConfigNodeSpec(ctx))
			f.ReportPinnedImageSets(ctx, nil, nil)
			n, _ := f.Pending()
			assert.Zero(t, n)
			assert.Empty(t, f.requests())
		})
	})
}

func TestNoReportIsAcceptedWithoutANode(t *testing.T) {
	cold := errors.New("cache is cold")
	for name, tc := range map[string]struct {
		node  *corev1.Node
		err   error
		cause error
		text  string
	}{
		"Config.Node fails": {nil, cold, cold, "node worker-0: Config.Node failed: cache is cold"},
		"no Node":           {nil, nil, nil, "node worker-0: Config.Node returned no node"},
		"another Node": {&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}, nil, scope.ErrOutOfScope,
			"node worker-0: " + scope.ErrOutOfScope.Error() + `: Config.Node returned "worker-1"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.node, f.nodeErr = tc.node, tc.err
				for _, err := range []error{f.tryReport(t, phases.Drained, metav1.ConditionTrue), f.syncSpec(t)} {
					require.Error(t, err)
					assert.NotErrorAs(t, err, new(*upgrademonitor.ReportError), "the error must not be a *ReportError")
					assert.Equal(t, tc.cause != nil, errors.Is(err, tc.cause))
					assert.Equal(t, tc.text, err.Error())
				}
				assert.Empty(t, f.requests())
			})
		})
	}
}

func textsOf(c metav1.Condition) []string { return []string{string(c.Status), c.Reason, c.Message} }

// Report logs the error of a rejected report, and not that a report is pending. The default reason consists of the names of
// the parent and of the phase.
func TestReportLogsItsErrors(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		var log logLines
		ctx := log.context(t.Context())
		f.Report(ctx, phases.Drained, "drained", metav1.ConditionTrue)
		assert.Equal(t, "UpdateExecutedDrained", f.condition(phases.Drained).Reason)
		f.Report(ctx, phases.RebootedNode, "rebooting", metav1.ConditionUnknown, nil)
		assert.Equal(t, "RebootedNode", f.condition(phases.RebootedNode).Reason)
		f.Report(ctx, phases.Cordoned, "cordoned", metav1.ConditionTrue, upgrademonitor.Reason("Mine"))
		assert.Equal(t, "Mine", f.condition(phases.Cordoned).Reason)
		assert.Empty(t, log.take())

		f.Report(ctx, "Rested", "", metav1.ConditionTrue)
		f.Report(ctx, phases.Updated, "", metav1.ConditionUnknown)
		assert.Len(t, log.take(), 2)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		f.Report(ended, phases.Drained, "", metav1.ConditionUnknown)
		assert.Len(t, log.take(), 1)

		f.fails(errDown)
		f.Report(ctx, phases.Drained, "", metav1.ConditionUnknown)
		assert.Empty(t, log.take())
		assert.Len(t, f.log.take(), 1, "the writer logs with the logger of New's ctx")
	})
}

func TestReportNotRequiredAndTrackIgnoreAPhaseOfTheOtherMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := false
		f := newUpdated(t, inImageMode(&on))
		var log logLines
		ctx, ran := log.context(t.Context()), 0
		for _, imageMode := range []bool{false, true} {
			on = imageMode
			other := map[bool]phases.Phase{false: phases.AppliedOSImage, true: phases.AppliedFilesAndOS}[imageMode]
			f.Report(ctx, other, "", metav1.ConditionTrue)
			f.NotRequired(ctx, other, "")
			require.NoError(t, f.Track(ctx, other, "", func(context.Context) error { ran++; return nil }))
			require.Error(t, f.tryReport(t, other, metav1.ConditionTrue))
		}
		assert.Equal(t, 2, ran, "Track runs the work of an ignored phase")
		assert.Empty(t, f.requests())
		assert.Empty(t, log.take())
		f.Report(ctx, "Rested", "", metav1.ConditionTrue)
		assert.Len(t, log.take(), 1, "an unknown phase is rejected, and not ignored")
		f.NotRequired(ctx, phases.NodeDegraded, "not a step")
		f.NotRequired(ctx, phases.Updated, "not a step")
		assertLines(t, []string{"use Report", "use Report"}, log.take())
		assert.Empty(t, f.requests())
	})
}

func inImageMode(on *bool) func(*upgrademonitor.Config) {
	return func(c *upgrademonitor.Config) { c.ImageMode = func() bool { return *on } }
}

// Without Config.ImageMode, the conditions of the object show the mode. ImagePulledFromRegistry does not show image mode,
// because machine-config-operator creates it in standard mode, too.
func TestWithoutConfigImageModeTheObjectShowsTheMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := true
		daemon := newUpdated(t, inImageMode(&on))
		daemon.starts(t, newConfig)
		daemon.report(t, phases.AppliedFiles, metav1.ConditionTrue)
		controller := daemon.another(t)
		controller.report(t, phases.Drained, metav1.ConditionUnknown)
		controller.report(t, phases.AppliedOSImage, metav1.ConditionUnknown)
		controller.Report(controller.log.context(t.Context()), phases.AppliedFilesAndOS, "", metav1.ConditionTrue)
		assert.Empty(t, controller.log.take(), "Report ignores a phase of the other mode")
		require.Error(t, controller.tryReport(t, phases.AppliedFilesAndOS, metav1.ConditionTrue))
		assert.Equal(t, metav1.ConditionTrue, daemon.status(phases.AppliedFiles))
		assert.Len(t, daemon.object().Status.Conditions, len(phases.All(true)))

		f := newFixture(t)
		f.report(t, phases.AppliedFilesAndOS, metav1.ConditionUnknown)
		f.write(t, apiserver.StatusSubresource, func(mcn *mcfgv1.MachineConfigNode) {
			pulled := conditions.Find(transitions.Complete(nil, true, metav1.Now()), phases.ImagePulledFromRegistry)
			mcn.Status.Conditions = append(mcn.Status.Conditions, *pulled)
		})
		f.another(t).report(t, phases.Drained, metav1.ConditionUnknown)
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.AppliedFilesAndOS))
	})
}

func TestTrackReturnsTheErrorOfTheWorkEvenIfItsReportsFail(t *testing.T) {
	stuck := errors.New("pod web-0 cannot be evicted")
	var none *fs.PathError
	for name, tc := range map[string]struct {
		phase    phases.Phase
		sabotage func(*fixture)
		err      error
		message  string // the last message of the phase, or "" if nothing is written
	}{
		"done":          {phases.Drained, nil, nil, "draining"},
		"fails":         {phases.Drained, nil, stuck, "Error: draining: pod web-0 cannot be evicted"},
		"typed nil":     {phases.Drained, nil, none, "Error: draining: <nil>"},
		"unknown phase": {"Rested", nil, stuck, ""},
		"no API server": {phases.Drained, func(f *fixture) { f.fails(errDown) }, stuck, ""},
		"no Node":       {phases.Drained, func(f *fixture) { f.viewFails(stuck) }, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *fixture) {
				if tc.sabotage != nil {
					tc.sabotage(f)
				}
				worked := false
				err := f.Track(t.Context(), tc.phase, "draining", func(context.Context) error {
					worked = true
					return tc.err
				})
				assert.Equal(t, tc.err, err)
				assert.True(t, worked)
				if tc.message != "" {
					want := map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionUnknown}[tc.err == nil]
					assert.Equal(t, []string{string(want), "UpdateExecutedDrained", tc.message}, textsOf(f.condition(phases.Drained)))
					assert.Equal(t, []string{"Unknown", "Drained", tc.message}, textsOf(f.condition(phases.UpdateExecuted)))
				}
			})
		})
	}
	inBubble(t, func(t *testing.T, f *fixture) {
		require.Error(t, f.Track(t.Context(), phases.Drained, "draining", nil))
		assert.Empty(t, f.requests())
		ctx, cancel := context.WithCancel(t.Context())
		err := f.Track(ctx, phases.Drained, "draining", func(ctx context.Context) error {
			cancel()
			return ctx.Err()
		})
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, "Error: draining: context canceled", f.condition(phases.Drained).Message, "Track reports the failure even if its ctx has ended")
	})
}

// CompletesParent and DoneMessage change only the report of True. Reason changes both reports.
func TestCompletesParentAndDoneMessageChangeOnlyTheReportOfTrue(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		work := func(context.Context) error {
			assert.Equal(t, []string{"Unknown", "Mine", "applying"}, textsOf(f.condition(phases.AppliedFilesAndOS)))
			assert.Equal(t, metav1.ConditionUnknown, f.status(phases.UpdateExecuted))
			return nil
		}
		require.NoError(t, f.Track(t.Context(), phases.AppliedFilesAndOS, "applying", work, upgrademonitor.CompletesParent(),
			upgrademonitor.Reason("Mine"), upgrademonitor.DoneMessage("applied")))
		assert.Equal(t, []string{"True", "Mine", "applied"}, textsOf(f.condition(phases.AppliedFilesAndOS)))
		assert.Equal(t, []string{"True", "AppliedFilesAndOS", "applied"}, textsOf(f.condition(phases.UpdateExecuted)))
	})
}

func TestTrackReportsAFailureOfWorkThatWouldCompleteTheParent(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		full := errors.New("disk full")
		require.Equal(t, full, f.Track(t.Context(), phases.AppliedFilesAndOS, "applying", func(context.Context) error { return full },
			upgrademonitor.CompletesParent()))
		for _, p := range []phases.Phase{phases.AppliedFilesAndOS, phases.UpdateExecuted} {
			assert.Equal(t, metav1.ConditionUnknown, f.status(p))
			assert.Equal(t, "Error: applying: disk full", f.condition(p).Message)
		}
	})
}

func TestTrackKeepsTheLastErrorDuringARetry(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.starts(t, newConfig)
		stuck := errors.New("pod web-0 cannot be evicted")
		require.Equal(t, stuck, f.Track(t.Context(), phases.Drained, "draining", func(context.Context) error { return stuck }))
		require.NoError(t, f.Track(t.Context(), phases.Drained, "draining", func(context.Context) error {
			for _, p := range []phases.Phase{phases.Drained, phases.UpdateExecuted} {
				assert.Equal(t, "Error: draining: pod web-0 cannot be evicted", f.condition(p).Message)
			}
			return nil
		}))
	})
}

// The calls of a nil Monitor and of nil Monitors accept everything, and make no request.
func TestANilMonitorAcceptsEveryReportAndWritesNothing(t *testing.T) {
	var monitors *upgrademonitor.Monitors
	m, ctx := monitors.For(nodeName), t.Context()
	assert.Nil(t, m)
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx, "no phase", "", "", "no status"))
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(ctx))
	m.Report(ctx, phases.Drained, "", metav1.ConditionTrue)
	m.ReportDegraded(ctx, errDown)
	m.ReportPinnedImageSets(ctx, []upgrademonitor.PinnedImageSet{{}}, nil)
	require.NoError(t, m.Flush(ctx))
	work := errors.New("the error of the work")
	assert.Equal(t, work, m.Track(ctx, phases.Drained, "", func(context.Context) error { return work }), "Track runs the work")
	monitors.Forget(nodeName)
	require.NoError(t, monitors.Flush(ctx))
	for _, pending := range []func() int{func() int { n, _ := m.Pending(); return n }, func() int { n, _ := monitors.Pending(); return n }} {
		assert.Zero(t, pending())
	}
}

func TestReportDegradedReportsNoSuccessBeforeTheFirstUpdateOrFailure(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.ReportDegraded(t.Context(), nil)
		assert.Equal(t, "NotYetOccurred", f.condition(phases.NodeDegraded).Reason)

		f.ReportDegraded(t.Context(), errDown)
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.NodeDegraded))
		f.ReportDegraded(t.Context(), nil)
		assert.Equal(t, []string{"False", "NodeDegraded", "Node worker-0 upgrade succeeded"}, textsOf(f.condition(phases.NodeDegraded)))
	})
}
