package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

// simulate runs the command on a simulated cluster, at the maximum speed.
func simulate(t *testing.T, args ...string) execution {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := testProgram(&stdout, &stderr)
	p.clock = clock.RealClock{}
	code := exit(t.Context(), p, append(args, "--speed", "2000"))
	return execution{code, stdout.String(), stderr.String()}
}

func TestSimulatedLook(t *testing.T) {
	t.Parallel()
	got := simulate(t, "--simulate", "8")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, "  8 nodes, ")
	assert.Contains(t, got.stdout, "\nmaster ")
	assertPrintable(t, got.stdout)
}

func TestSimulatedRollout(t *testing.T) {
	t.Parallel()
	got := simulate(t, "-w", "--simulate", "6")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, "master 3/3 target")
	assert.Contains(t, got.stdout, "worker 2/2 done\n")
}

func TestSimulatedTimeline(t *testing.T) {
	t.Parallel()
	got := simulate(t, "timeline", "--simulate", "4", "-o", "csv")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, "\nmaster,master-0,Drained,")
}

// TestSimulatedFailure ends blocked, with the cause.
func TestSimulatedFailure(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"-w"}, {"wait", "--tolerate", "100000h"}} { // so that a slow machine does not fail
		got := simulate(t, append(command, "--simulate", "5", "--fail-node", "worker-0")...)
		assert.Equal(t, program.ExitFailure, got.code)
		assert.Contains(t, got.stdout, "worker 0/2 worker-0 STUCK degraded for ")
		assert.Contains(t, got.stdout, "worker 0/2 blocked, stuck nodes take all of maxUnavailable (1)\n")
		assert.Contains(t, got.stderr, "Node worker-0 upgrade failure. Drained: simulated failure of --fail-node")
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
}

// TestSimulatedLookAtAFailure prints the end of the rollout, and fails. One of several places is
// stuck.
func TestSimulatedLookAtAFailure(t *testing.T) {
	t.Parallel()
	got := simulate(t, "--simulate", "20", "--fail-node", "worker-3")
	assert.Equal(t, program.ExitFailure, got.code)
	assert.Contains(t, got.stdout, "  20 nodes, 1 updating, 1 stuck\n")
	assert.Contains(t, got.stdout, "\n! worker-3  ")
	assert.Equal(t, "kubectl-mcn: pool worker cannot finish, 13 of 14 nodes are updated: "+
		"Node worker-3 upgrade failure. Drained: simulated failure of --fail-node\n", got.stderr)

	for format, want := range map[string]string{"json": `"node": "master-0"`, "yaml": "node: master-0"} {
		got := simulate(t, "--simulate", "1", "--fail-node", "master-0", "-o", format)
		assert.Equal(t, program.ExitFailure, got.code)
		assert.Contains(t, got.stdout, want)
		assert.Contains(t, got.stderr, "pool master is blocked, 0 of 1 nodes are updated: ")
	}
}

// TestSimulatedTimelineOfAFailure prints the timeline of a rollout that is blocked.
func TestSimulatedTimelineOfAFailure(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"text": "worker-0 ", "csv": "\nworker,worker-0,Drained,", "svg": "</svg>"} {
		got := simulate(t, "timeline", "--simulate", "5", "--fail-node", "worker-0", "-o", format)
		assert.Equal(t, program.ExitFailure, got.code)
		assert.Contains(t, got.stdout, want)
		assert.Contains(t, got.stderr, "pool worker is blocked, 0 of 2 nodes are updated: ")
	}
}

func TestSimulatedWait(t *testing.T) {
	t.Parallel()
	got := simulate(t, "wait", "-q", "--tolerate", "100000h", "--simulate", "4")
	assert.Zero(t, got.code, got.stderr)
	assert.Empty(t, got.stdout)
}

func TestSimulationIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var stderr bytes.Buffer
	out := newLines()
	p := testProgram(out, &stderr)
	p.clock = clock.RealClock{}
	code := make(chan int)
	go func() { code <- exit(ctx, p, []string{"-w", "--simulate", "4"}) }()
	out.await("master 3/3")
	cancel()
	assert.Equal(t, exitInterrupted, <-code)
	assert.Empty(t, stderr.String())
}

func TestBadSimulations(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--simulate -1":              "--simulate -1: use from 1 to 200 nodes",
		"--fail-node worker-0":       "--fail-node and --speed require --simulate",
		"--simulate 4 --fail-node x": `--fail-node "x": the nodes are`,
		"--simulate 4 -f -":          "--simulate and -f exclude each other",
		"timeline --simulate 4 nope": `unknown pool "nope"`,
		"wait --simulate 4 nope":     `unknown pool "nope"`,
		"wait --simulate 4 --from x": "--simulate and --from exclude each other",
		"--simulate 4 -w nope":       `unknown pool "nope"`,
		"--simulate 4 --speed -3":    "--speed -3: use a positive number",
		"--simulate 4 --speed 0":     "--speed 0: use a positive number",
		"--simulate 4 --speed NaN":   "--speed NaN: use a positive number",
		"--simulate 4 --speed Inf":   "--speed +Inf: use a positive number",
		"--simulate 0":               "--simulate 0: use from 1 to 200 nodes",
		"--speed 0":                  "--fail-node and --speed require --simulate",
	} {
		var stdout, stderr bytes.Buffer
		p := testProgram(&stdout, &stderr)
		p.clock = clock.RealClock{}
		assert.Equal(t, program.ExitUsage, exit(t.Context(), p, strings.Fields(args)), args)
		assert.Contains(t, stderr.String(), want, args)
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
	}
}
