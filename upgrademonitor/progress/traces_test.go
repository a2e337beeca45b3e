package progress_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestTraces reads every version of every object of the traces, as written by this library and by the
// daemon of machine-config-operator, and compares it with the reports until then.
func TestTraces(t *testing.T) {
	traces := readTraces(t)
	var golden strings.Builder
	for _, legacy := range []bool{false, true} {
		for _, tr := range traces {
			name := tr.Name
			if legacy {
				name += "_legacy"
			}
			t.Run(name, func(t *testing.T) {
				fmt.Fprintf(&golden, "%s\n", name)
				d := newDaemon("worker-0", legacy)
				m := model{legacy: legacy, imageMode: tr.ImageMode}
				d.replay(t, traces, tr, func(mcn *mcfgv1.MachineConfigNode, c *call) {
					before := mcn.DeepCopy()
					n := progress.FromMachineConfigNode(mcn)
					assert.Equal(t, before, mcn, "the argument changed")
					checkNode(t, n)
					if !d.midway {
						m.observe(t, d, mcn, c)
						m.check(t, mcn, n)
					}
					fmt.Fprintf(&golden, "  %s\n", line(n, c))
				})
			})
		}
	}
	checkGolden(t, "testdata/traces.golden", golden.String())
}

func line(n progress.Node, c *call) string {
	after := "spec " + n.Desired.Config
	if c != nil {
		after = fmt.Sprintf("%s=%s", c.Phase, c.Status)
	}
	return strings.TrimRight(fmt.Sprintf("%-36s %-10s %s %-24s %6s %6s %6s", after, n.State, marks(n), n.Step, clock(n.Requested), clock(n.Since), clock(n.DegradedSince)), " ")
}

func marks(n progress.Node) string {
	glyphs := map[progress.StepState]string{progress.ToDo: ".", progress.Running: ">", progress.Finished: "#", progress.Skipped: "-"}
	var b strings.Builder
	for _, s := range n.Steps {
		b.WriteString(glyphs[s.State])
	}
	return b.String()
}

func clock(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Sub(start).String()
}

// checkNode checks the invariants of a node.
func checkNode(t testing.TB, n progress.Node) {
	t.Helper()
	var took time.Duration
	var last time.Time
	for _, s := range n.Steps {
		assert.GreaterOrEqual(t, s.Duration, time.Duration(0))
		took += s.Duration
		if s.End.After(last) {
			last = s.End
		}
		if s.State != progress.Finished {
			assert.Zero(t, s.End, "%s is %s, and has an end", s.Phase, s.State)
			assert.Zero(t, s.Duration)
		}
	}
	if !n.Started.IsZero() {
		assert.Equal(t, max(0, last.Sub(n.Started)), took, "the durations do not add up")
		assert.Equal(t, n.Started.Add(took), n.Since)
		assert.Zero(t, n.Completed, "begun and ended")
	}
	names := func(m progress.StepState) (all []phases.Phase) {
		for _, s := range n.Steps {
			if s.State == m {
				all = append(all, s.Phase)
			}
		}
		return all
	}
	switch {
	case n.State == progress.Done || n.State == progress.Unreported:
		assert.Empty(t, n.Step)
	case n.NotStarted:
		assert.Equal(t, phases.UpdatePrepared, n.Step)
	case n.Step == "":
		assert.True(t, !n.Reported || n.Desired == n.Current)
	case len(names(progress.Running)) > 0:
		assert.Contains(t, names(progress.Running), n.Step)
	case len(names(progress.ToDo)) > 0:
		assert.Equal(t, names(progress.ToDo)[0], n.Step)
	case n.Completed.IsZero():
		assert.Equal(t, phases.Updated, n.Step)
	}
}

// model is the expected state after all reports.
type model struct {
	legacy, imageMode bool

	spec, config, image, currentImage string
	everUpdated, updated, degraded    bool
	begun, since, ordered             time.Time
	last                              map[phases.Phase]*call // of this update
	conditions                        string                 // of the previous version
}

func (m *model) observe(t *testing.T, d *daemon, mcn *mcfgv1.MachineConfigNode, c *call) {
	t.Helper()
	if c == nil {
		if mcn.Spec.ConfigVersion.Desired != m.spec || string(mcn.Spec.ConfigImage.DesiredImage) != m.image {
			m.ordered = d.now
		}
		m.spec, m.image = mcn.Spec.ConfigVersion.Desired, string(mcn.Spec.ConfigImage.DesiredImage)
		return
	}
	if c.Node.CurrentConfig != "" {
		m.config, m.currentImage = c.Node.CurrentConfig, c.Node.CurrentImage
	}
	begin := func() {
		m.begun, m.since, m.updated, m.last = d.now, d.now, false, map[phases.Phase]*call{}
	}
	restart := c.Phase == phases.Resumed || c.Phase == phases.Uncordoned
	switch {
	case c.Phase == phases.NodeDegraded:
		m.degraded = c.Status == yes
	case c.Phase == phases.Updated && c.Status == yes:
		if !m.updated || m.legacy && m.begun.IsZero() {
			m.since = d.now
		}
		m.updated, m.everUpdated, m.degraded, m.last = true, true, false, nil
	case c.Phase == phases.Updated:
		if target := m.spec + m.image; m.updated || m.legacy || target != m.conditions {
			m.conditions = target
			begin()
		}
	case m.updated && !m.legacy && phases.StartsUpdate(c.Phase):
		begin()
	case m.updated:
		return
	}
	if m.updated || !phases.IsUpdateStep(c.Phase) {
		return
	}
	if m.last == nil {
		m.last = map[phases.Phase]*call{}
	}
	if previous := m.last[c.Phase]; c.Status == yes && (m.legacy || previous == nil || previous.Status != yes) && (m.everUpdated || !restart) {
		m.since = d.now
	}
	m.last[c.Phase] = c
}

func (m *model) check(t *testing.T, mcn *mcfgv1.MachineConfigNode, n progress.Node) {
	t.Helper()
	want := progress.Updating
	switch {
	case m.degraded:
		want = progress.Stuck
	case !m.everUpdated && m.begun.IsZero():
		want = progress.Unreported
	case m.updated && (m.spec != m.config || m.image != m.currentImage):
		want = progress.Updating
	case m.updated:
		want = progress.Done
	}
	require.Equal(t, want, n.State, "spec %s, current %s", m.spec, m.config)

	steps := 7
	has := func(p phases.Phase) bool { return meta.FindStatusCondition(mcn.Status.Conditions, string(p)) != nil }
	if has(phases.AppliedFiles) || has(phases.AppliedOSImage) {
		steps = 9
	}
	if n.InUpdate() {
		assert.Len(t, n.Steps, steps)
	} else {
		assert.Empty(t, n.Steps)
	}
	assert.Equal(t, "worker-0", n.Name)
	assert.Equal(t, "worker", n.Pool)
	assert.Equal(t, mcn.Spec.ConfigVersion.Desired, n.Desired.Config)
	assert.Equal(t, m.config, n.Current.Config)
	assert.Equal(t, m.degraded, n.Degraded)
	if mcn.Generation > 1 {
		assert.Equal(t, m.ordered, n.Requested)
	}
	switch {
	case n.NotStarted:
		assert.Equal(t, m.ordered, n.Since)
	case n.State == progress.Done:
		assert.Equal(t, m.since, n.Completed)
	case n.Step != "":
		assert.Equal(t, m.begun, n.Started)
		assert.Equal(t, m.since, n.Since)
		for _, s := range n.Steps {
			m.checkStep(t, n, s)
		}
	}
}

func (m *model) checkStep(t *testing.T, n progress.Node, s progress.Step) {
	t.Helper()
	c := m.last[s.Phase]
	switch {
	case c != nil && c.Status == yes:
		assert.Contains(t, []progress.StepState{progress.Finished, progress.Running}, s.State, s.Phase)
	case c != nil && c.Status == running:
		assert.Equal(t, progress.Running, s.State, s.Phase)
	case c != nil:
		assert.Equal(t, progress.Skipped, s.State, s.Phase)
	case s.State == progress.Skipped:
		later := n.Steps[slices.IndexFunc(n.Steps, func(other progress.Step) bool { return other.Phase == s.Phase })+1:]
		assert.True(t, slices.ContainsFunc(later, func(s progress.Step) bool { return s.State == progress.Running || s.State == progress.Finished }),
			"%s is skipped, but no later step has started", s.Phase)
	}
}

func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}
