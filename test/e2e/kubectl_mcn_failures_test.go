package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// failures has the calls that report a failure of a phase. A controller makes the call Report.
var failures = map[string]func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error){
	"Track": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		_ = m.Track(ctx, p, "Working", func(context.Context) error { return cause })
	},
	"Report": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		m.Report(ctx, p, fmt.Sprint("Error: ", cause), metav1.ConditionUnknown)
	},
	"GenerateAndApplyMachineConfigNode": func(ctx context.Context, m *upgrademonitor.Monitor, p phases.Phase, cause error) {
		_ = m.GenerateAndApplyMachineConfigNode(ctx, p, "Failed", fmt.Sprint("Error: ", cause), metav1.ConditionFalse)
	},
	"ReportDegraded": func(ctx context.Context, m *upgrademonitor.Monitor, _ phases.Phase, cause error) {
		m.ReportDegraded(ctx, cause)
	},
}

// failed is an object with a failure that was reported. Each object has its own name.
type failed struct {
	object     *mcfgv1.MachineConfigNode
	way, cause string
}

// Package progress and kubectl mcn show each failure that the daemon or a controller reports, at each phase and in both
// modes.
func TestMCNShowsEveryFailure(t *testing.T) {
	dir := build(t, "cmd/kubectl-mcn")
	for mode, w := range map[string]*testNode{"standard": newTestNode(t, "mcn-failures"), "image": newImageModeNode(t, "mcn-failures")} {
		all := w.failures()
		assert.Greater(t, len(all), 40, mode)
		shown := w.showFailures(dir, all)
		for _, f := range all {
			read, n := progress.Of(nil, f.object), shown[f.object.Name]
			assert.True(t, read.InUpdate(), f.way)
			assert.True(t, n.Failing || read.Degraded, f.way)
			assert.Equal(t, read.Degraded, n.Degraded, f.way)
			assert.Contains(t, n.Message, f.cause, f.way)
			assert.NotEmpty(t, n.Next, f.way)
		}
		set := w.failImageSets(errors.New("context deadline exceeded"))
		assert.False(t, progress.Of(nil, set.object).HasPinnedImages)
		for _, s := range w.showFailures(dir, []failed{set})[set.object.Name].PinnedImageSets {
			assert.True(t, s.Failed)
			assert.Contains(t, s.Message, set.cause)
		}
	}
}

// failures reports each failure on a new object of the node, and returns the objects.
func (w *testNode) failures() (all []failed) {
	w.t.Helper()
	ctx := w.t.Context()
	w.annotate("rendered-a", "rendered-b")
	controllers, err := upgrademonitor.NewMonitors(ctx, upgrademonitor.Config{Client: mcfgClient(w.t, w.config)},
		func(string) (*corev1.Node, error) { return w.node, nil })
	require.NoError(w.t, err)
	for _, p := range phases.All(w.imageMode) {
		if phases.KindOf(p) == phases.Singleton {
			continue
		}
		for way, fail := range failures {
			w.resetObject(true)
			m, _ := w.monitor("worker")
			m.Report(ctx, phases.Updated, "Node needs an update", metav1.ConditionFalse)
			if way == "Report" {
				controllers.Forget(w.name) // it knows the former object
				m = controllers.For(w.name)
			}
			cause := fmt.Sprintf("exit status %d.", len(all))
			fail(ctx, m, p, errors.New(cause))
			require.NoError(w.t, m.Flush(ctx))
			object := w.object()
			object.Name = fmt.Sprint("worker-", len(all))
			// two reports are rejected: a step does not change from Unknown to False, and Updated is never Unknown
			if strings.Contains(fmt.Sprint(object.Status.Conditions), cause) {
				all = append(all, failed{object, fmt.Sprintf("%s of %s", way, p), cause})
			}
		}
	}
	return all
}

func (w *testNode) failImageSets(cause error) failed {
	w.t.Helper()
	w.annotate("rendered-a", "rendered-a")
	w.resetObject(true)
	m, _ := w.monitor("worker")
	m.Report(w.t.Context(), phases.Updated, "Node Updated", metav1.ConditionTrue)
	m.ReportPinnedImageSets(w.t.Context(), []upgrademonitor.PinnedImageSet{{Name: "set-1", Generation: 1, Err: cause}, {Name: "set-2", Generation: 1}}, cause)
	require.NoError(w.t, m.Flush(w.t.Context()))
	return failed{w.object(), "ReportPinnedImageSets", cause.Error()}
}

// shownFailure is what kubectl mcn prints of a node that has failed.
type shownFailure struct {
	Name, Message     string
	Failing, Degraded bool
	Next              []string
	PinnedImageSets   []struct {
		Failed  bool
		Message string
	}
}

// showFailures returns what the command in dir prints of the objects, by their names.
func (w *testNode) showFailures(dir string, all []failed) map[string]shownFailure {
	w.t.Helper()
	var list []*mcfgv1.MachineConfigNode
	for _, f := range all {
		list = append(list, f.object)
	}
	var document struct {
		Pools []struct{ Nodes []shownFailure }
	}
	show(w.t, dir, list, &document)
	shown := map[string]shownFailure{}
	for _, p := range document.Pools {
		for _, n := range p.Nodes {
			shown[n.Name] = n
		}
	}
	return shown
}
