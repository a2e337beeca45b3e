package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// shownFailure is what kubectl mcn prints of a node that has failed.
type shownFailure struct {
	Failing, Degraded bool
	Message           string
	Next              []string
}

// failures are the ways to report a failure of a phase.
var failures = map[string]func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error){
	"Track": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		_ = m.Track(ctx, p, "Working", func(context.Context) error { return cause })
	},
	"Report": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		m.Report(ctx, p, fmt.Sprint("Error: ", cause), metav1.ConditionUnknown)
	},
	"GenerateAndApplyMachineConfigNode": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		_ = m.GenerateAndApplyMachineConfigNode(ctx, p, "Failed", fmt.Sprint("Error: ", cause), metav1.ConditionUnknown)
	},
	"False": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		_ = m.GenerateAndApplyMachineConfigNode(ctx, p, "Failed", fmt.Sprint("Error: ", cause), metav1.ConditionFalse)
	},
	"ReportDegraded": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		m.Report(ctx, p, "Working", metav1.ConditionUnknown)
		m.ReportDegraded(ctx, cause)
	},
}

// TestMCNShowsEveryFailure: each report of a failure, at each phase and in both modes, by the daemon and
// by a controller, is a failure for those who read the object.
func TestMCNShowsEveryFailure(t *testing.T) {
	program := build(t, "cmd/kubectl-mcn")
	for mode, w := range map[string]*testNode{"standard": newTestNode(t, "mcn-failures"), "image": newImageModeNode(t, "mcn-failures")} {
		t.Run(mode, func(t *testing.T) {
			w.t = t
			count := 0
			for _, p := range phases.All(w.imageMode) {
				if phases.KindOf(p) == phases.Singleton {
					continue
				}
				for way, fail := range failures {
					for _, by := range []string{"daemon", "controller"} {
						w.resetObject(true)
						w.annotate("rendered-a", "rendered-b")
						m, _ := w.monitor("worker")
						m.Report(t.Context(), phases.Updated, "Node needs an update", metav1.ConditionFalse)
						if by == "controller" {
							m, _, _ = w.controller()
						}
						cause := fmt.Errorf("exit status %d", count)
						fail(t.Context(), m, p, cause)
						require.NoError(t, m.Flush(t.Context()))
						object := w.object()
						if !strings.Contains(fmt.Sprint(object.Status.Conditions), cause.Error()) {
							continue // a step does not turn from Unknown to False, and Updated is never Unknown
						}
						count++
						name := fmt.Sprintf("%s of %s by the %s", way, p, by)
						read := progress.Of(nil, object)
						assert.True(t, read.InUpdate(), name)
						assert.Equal(t, way == "ReportDegraded", read.Degraded, name)
						var shown shownFailure
						w.show(program, &shown)
						assert.True(t, shown.Failing || shown.Degraded, name)
						assert.Contains(t, shown.Message, cause.Error(), name)
						assert.NotEmpty(t, shown.Next, name)
					}
				}
			}
			assert.Greater(t, count, 80)
		})
	}
}

// TestMCNShowsAFailedImageSet: the failure of a set, and one that is not about a set.
func TestMCNShowsAFailedImageSet(t *testing.T) {
	program := build(t, "cmd/kubectl-mcn")
	w := newTestNode(t, "mcn-image-sets")
	w.annotate("rendered-a", "rendered-a")
	cause := errors.New("context deadline exceeded")
	for name, sets := range map[string][]upgrademonitor.PinnedImageSet{"set": {{Name: "set-1", Generation: 1, Err: cause}}, "no set": nil} {
		w.resetObject(true)
		m, _ := w.monitor("worker")
		m.Report(t.Context(), phases.Updated, "Node Updated", metav1.ConditionTrue)
		m.ReportPinnedImageSets(t.Context(), sets, cause)
		require.NoError(t, m.Flush(t.Context()))
		var shown struct {
			PinnedImageSets []struct {
				Failed  bool
				Message string
			}
		}
		w.show(program, &shown)
		require.Len(t, shown.PinnedImageSets, 1, name)
		assert.True(t, shown.PinnedImageSets[0].Failed, name)
		assert.Contains(t, shown.PinnedImageSets[0].Message, cause.Error(), name)
		assert.False(t, progress.Of(nil, w.object()).HasPinnedImages, name)
	}
}
