package main

import (
	"context"
	"io"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

// rowsOf splits the output into rows of words.
func rowsOf(stdout string) (rows [][]string) {
	for line := range strings.Lines(stdout) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

func TestSimulationUpdatesPoolByPool(t *testing.T) {
	got := execute(t.Context(), "--simulate=6", "--step=1ms", "-o", "wide")
	require.Zero(t, got.code, got.stderr)
	assert.Empty(t, got.stderr)
	rows := rowsOf(got.stdout)
	assert.Equal(t, []string{"NAME", "CONFIG", "UPDATED", "UPDATING", "DEGRADED",
		"MACHINECOUNT", "READYMACHINECOUNT", "UPDATEDMACHINECOUNT", "DEGRADEDMACHINECOUNT", "AGE"}, rows[0])

	first, finished := map[string]string{}, []string{}
	for _, row := range rows[1:] {
		if len(row) != len(rows[0]) {
			continue // before a pool has conditions, and the summary
		}
		if first[row[0]] == "" {
			first[row[0]] = row[1]
		}
		if row[1] != first[row[0]] {
			assert.Equal(t, "True", row[2])
			finished = append(finished, row[0])
		}
	}
	assert.Equal(t, []string{"master", "infra", "worker"}, finished)
	assert.Regexp(t, `\n\nAll nodes \(6\) were updated in \S+\. Unavailable at a time, at most: master 1 of 3, infra 1 of 1, worker 1 of 2\.\n$`, got.stdout)
}

func TestSimulatedNodeThatFails(t *testing.T) {
	got := execute(t.Context(), "--simulate=6", "--step=1ms", "--fail-node=master-1", "--output=wide")
	assert.Equal(t, 1, got.code)
	assert.Equal(t, "operator: pool master is blocked, 1 of 3 nodes are updated: Node master-1 upgrade failure. Drained: simulated failure of --fail-node\n", got.stderr)
	var last []string
	for _, row := range rowsOf(got.stdout) {
		if len(row) > 0 && row[0] == "master" {
			last = row
		}
	}
	assert.Equal(t, []string{"False", "True", "True", "3", "1", "1", "1"}, last[2:9])
}

func TestScreenOfASimulation(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	got := execute(t.Context(), "--simulate=6", "--step=1m", "--speed=6000")
	require.Zero(t, got.code, got.stderr)
	assert.Empty(t, got.stderr)
	for _, pattern := range []string{
		`(?m)^\d\d:\d\d:\d\d master 3/3 target [0-9a-f]{8}$`,
		`(?m)^\d\d:\d\d:\d\d worker 2/2 done$`,
		`\n\n\d\d:\d\d:\d\d  6 nodes, 0 updating, 0 stuck\n\nPOOL `,
		`\n\nAll nodes \(6\) were updated in \S+\. Unavailable at a time, at most: master 1 of 3, infra 1 of 1, worker 1 of 2\.\n$`,
	} {
		assert.Regexp(t, pattern, got.stdout)
	}
	assert.NotContains(t, got.stdout, "\x1b", "no terminal")
	for line := range strings.Lines(got.stdout[strings.Index(got.stdout, "\n\n"):]) {
		if !strings.HasPrefix(line, "All nodes") {
			assert.LessOrEqual(t, len(line), 81, line)
		}
	}
}

func TestScreenOfANodeThatFails(t *testing.T) {
	got := execute(t.Context(), "--simulate=6", "--step=0", "--fail-node=master-1")
	assert.Equal(t, 1, got.code)
	const cause = "Node master-1 upgrade failure. Drained: simulated failure of --fail-node"
	assert.Equal(t, "operator: pool master is blocked, 1 of 3 nodes are updated: "+cause+"\n", got.stderr)
	assert.Contains(t, got.stdout, "\n! master-1 ")
	assert.Contains(t, got.stdout, "\nmaster is blocked: ")
	assert.Regexp(t, `\nMachineConfigPool master, condition NodeDegraded: .*master-1.*\n$`, got.stdout, "the pool's own condition")
}

// TestSimulationOnATerminal shows that the screen is redrawn, and the cursor shown at the end.
func TestSimulationOnATerminal(t *testing.T) {
	cluster, err := simulation.New(t.Context(), simulation.Options{Nodes: 2})
	require.NoError(t, err)
	var stdout output
	s, err := newRolloutScreen(program.Streams{Out: &stdout}, cluster, func(err error) { assert.NoError(t, err) })
	require.NoError(t, err)
	s.terminal = terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}
	s.painter.Terminal = s.terminal
	s.begin()
	s.observe(&mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}})
	s.observe(&mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}, Spec: mcfgv1.MachineConfigNodeSpec{Pool: mcfgv1.MCOObjectReference{Name: "worker"}}})
	require.NoError(t, s.end())
	s.close()
	s.close()
	assert.Contains(t, stdout.String(), " 1 node, 0 updating")
	assert.True(t, strings.HasSuffix(stdout.String(), "\x1b[?25h"))
}

// simulateForTest runs the program on a cluster that the test can read afterwards.
func simulateForTest(t *testing.T, args ...string) (*simulation.Cluster, int) {
	t.Helper()
	opts, err := parse(args, io.Discard)
	require.NoError(t, err)
	cluster, err := simulation.New(t.Context(), opts.simulation)
	require.NoError(t, err)
	var stdout, stderr output
	code := executeOn(t.Context(), func(ctx context.Context, _ []string, streams program.Streams) error {
		return command{Streams: streams, clock: clock.RealClock{}}.simulate(ctx, cluster, opts.wide)
	}, &stdout, &stderr)
	assert.Empty(t, stderr.String())
	return cluster, code
}
