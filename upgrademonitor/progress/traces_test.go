package progress_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

var update = flag.Bool("update", false, "write the golden files")

// TestTraces reads every version of every object of the traces, as written by this library and by the
// daemon of machine-config-operator.
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
				d.replay(t, traces, tr, func(mcn *mcfgv1.MachineConfigNode, c *call) {
					before := mcn.DeepCopy()
					n := progress.FromMachineConfigNode(mcn)
					assert.Equal(t, before, mcn, "the argument changed")
					checkNode(t, n)
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
		assert.Zero(t, n.Completed, "started and completed")
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

func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}
