package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func execute(ctx context.Context, args ...string) programtest.Outcome {
	return programtest.Run(ctx, "operator", run, args...)
}

// rowsOf splits the output into rows of words.
func rowsOf(stdout string) (rows [][]string) {
	for line := range strings.Lines(stdout) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

func TestSimulationUpdatesPoolByPool(t *testing.T) {
	got := execute(t.Context(), "--simulate=6", "--step=1ms", "-o", "wide")
	require.Zero(t, got.Code, got.Stderr)
	assert.Empty(t, got.Stderr)
	rows := rowsOf(got.Stdout)
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
	assert.Regexp(t, `\n\nAll nodes \(6\) were updated in \S+\. Unavailable at a time, at most: master 1 of 3, infra 1 of 1, worker 1 of 2\.\n\n`, got.Stdout)
}

func TestSimulatedNodeThatFails(t *testing.T) {
	got := execute(t.Context(), "--simulate=6", "--step=1ms", "--fail-node=master-1", "--output=wide")
	assert.Equal(t, 1, got.Code)
	assert.Equal(t, "operator: pool master is blocked, 1 of 3 nodes are updated: Node master-1 upgrade failure. Drained: simulated failure of --fail-node\n", got.Stderr)
	var last []string
	for _, row := range rowsOf(got.Stdout) {
		if len(row) > 0 && row[0] == "master" {
			last = row
		}
	}
	assert.Equal(t, []string{"False", "True", "True", "3", "1", "1", "1"}, last[2:9])
}

func TestScreenOfASimulation(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	got := execute(t.Context(), "--simulate=6", "--step=1m", "--speed=6000")
	require.Zero(t, got.Code, got.Stderr)
	assert.Empty(t, got.Stderr)
	for _, pattern := range []string{
		`(?m)^\d\d:\d\d:\d\d master 3/3 target [0-9a-f]{8}$`,
		`(?m)^\d\d:\d\d:\d\d worker 2/2 done$`,
		`\n\n\d\d:\d\d:\d\d  6 nodes, 0 updating, 0 stuck\n\nPOOL `,
		`\n\nAll nodes \(6\) were updated in \S+\. Unavailable at a time, at most: master 1 of 3, infra 1 of 1, worker 1 of 2\.\n\n`,
	} {
		assert.Regexp(t, pattern, got.Stdout)
	}
	assert.NotContains(t, got.Stdout, "\x1b", "no terminal")
	assert.Contains(t, got.Stdout, "\n! OperatorSyncMCD for ")
	for line := range strings.Lines(got.Stdout[strings.Index(got.Stdout, "\n\n"):]) {
		if !strings.HasPrefix(line, "All nodes") {
			assert.LessOrEqual(t, len(line), 81, line)
		}
	}
}

func TestScreenOfANodeThatFails(t *testing.T) {
	got := execute(t.Context(), "--simulate=6", "--step=0", "--fail-node=master-1")
	assert.Equal(t, 1, got.Code)
	const cause = "Node master-1 upgrade failure. Drained: simulated failure of --fail-node"
	assert.Equal(t, "operator: pool master is blocked, 1 of 3 nodes are updated: "+cause+"\n", got.Stderr)
	assert.Contains(t, got.Stdout, "\n! master-1 ")
	assert.Contains(t, got.Stdout, "\nmaster is blocked: ")
	assert.Regexp(t, `\nMachineConfigPool master, condition NodeDegraded: .*master-1.*\n$`, got.Stdout, "the pool's own condition")
}

// TestSimulationShowsAStepThatFailsAndRecovers cuts what follows the update into its three screens.
func TestSimulationShowsAStepThatFailsAndRecovers(t *testing.T) {
	for step, args := range map[string][]string{
		"OperatorSyncMCD": {"-o", "wide"},
		"OperatorSyncMCP": {"-o", "wide", "--fail-step=OperatorSyncMCP"},
	} {
		got := execute(t.Context(), append([]string{"--simulate=1", "--step=0", "--speed=5000"}, args...)...)
		require.Zero(t, got.Code, got.Stderr)
		assert.Empty(t, got.Stderr)
		_, components, found := strings.Cut(got.Stdout, "All nodes (1) were updated")
		require.True(t, found, got.Stdout)
		before, rest, found := strings.Cut(components, "\nThe operator fails at "+step+":\n\n")
		require.True(t, found, components)
		during, after, found := strings.Cut(rest, "\nThe operator has recovered:\n\n")
		require.True(t, found, components)
		assert.Regexp(t, `\nAll components are healthy:\n\nNAME .*\ncluster  True +True +True\n`, before)
		assert.Regexp(t, `cluster  False +True +True\n`, during)
		assert.Regexp(t, `operator +- +Unhealthy +\S+ +`+step+`: timed out waiting for DaemonSet`, during)
		assert.Regexp(t, `cluster  True +True +True\n`, after)
		assert.Regexp(t, `operator +- +Healthy +\S+ +resolved \S+ ago: `+step+`: timed out`, after)
	}
}

func TestInterruptDuringTheSimulation(t *testing.T) {
	stdout, ctx := programtest.NewInterrupter(t.Context())
	got := programtest.RunOn(ctx, "operator", run, stdout, "--simulate=4", "--step=1h")
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "operator: interrupt signal received\n"}, got)
}

func TestInterruptBeforeTheStart(t *testing.T) {
	got := execute(programtest.Interrupted(t.Context()), "--simulate=4")
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "operator: interrupt signal received\n"}, got)
}

func TestBrokenStdout(t *testing.T) {
	got := programtest.RunOn(t.Context(), "operator", run, programtest.BrokenPipe{}, "--simulate=4", "--step=1h")
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "operator: broken pipe\n"}, got)
}
