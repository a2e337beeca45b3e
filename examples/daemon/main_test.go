package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/phases"
)

var update = flag.Bool("update", false, "write the golden files")

// outcome is the result of a run.
type outcome struct {
	code           int
	stdout, stderr string
}

// execute runs the program without delays, with a clock that is a second later at each report.
func execute(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := executeOn(ctx, func(ctx context.Context, args []string, streams program.Streams) error {
		reports := &clocktesting.SimpleIntervalClock{Time: time.Date(2025, 5, 22, 12, 37, 24, 0, time.UTC), Duration: time.Second}
		now := clocktesting.NewFakePassiveClock(reports.Time)
		return command{Streams: streams, clock: now, reports: reports, timeout: 10 * time.Second}.run(ctx, args)
	}, &stdout, &stderr, append([]string{"--step-delay=0"}, args...)...)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

func executeOn(ctx context.Context, f program.Func, stdout, stderr io.Writer, args ...string) int {
	return program.Run(ctx, args, program.Streams{Name: "daemon", Out: stdout, ErrOut: stderr}, f)
}

func TestGolden(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"update":          {nil, 0},
		"update-wide":     {[]string{"-o", "wide", "--describe"}, 0},
		"rebootless":      {[]string{"--rebootless"}, 0},
		"rebootless-wide": {[]string{"--rebootless", "--output=wide", "--describe"}, 0},
		"fail-drained":    {[]string{"--fail-at", "Drained"}, 1},
		"fail-wide":       {[]string{"--fail-at", "Drained", "-o=wide"}, 1},
		"other-names":     {[]string{"--node=ip-10-0-16-253.ec2.internal", "--pool=infra", "--from=rendered-a", "--to=rendered-b", "--step-delay=1ms", "-owide"}, 0},
		"help":            {[]string{"--help"}, 0},
		"unknown-phase":   {[]string{"--fail-at", "Rested"}, 2},

		"image-mode":            {[]string{"--image-mode", "--describe"}, 0},
		"image-mode-wide":       {[]string{"--image-mode", "-o", "wide"}, 0},
		"image-mode-image":      {[]string{"--image-mode", "--from=rendered-a", "--to=rendered-a", "--from-image=" + imageA, "--to-image=" + imageB}, 0},
		"image-mode-disable":    {[]string{"--image-mode", "--from-image=" + imageA, "--to-image=", "-o", "wide", "--describe"}, 0},
		"image-mode-config":     {[]string{"--image-mode", "--from-image=" + imageA, "--to-image=" + imageA}, 0},
		"image-mode-rebootless": {[]string{"--image-mode", "--rebootless", "-o", "wide"}, 0},
		"fail-image-pulled":     {[]string{"--image-mode", "--fail-at", "ImagePulledFromRegistry", "-o", "wide"}, 1},
		"pin":                   {[]string{"--pin", "test-pinned=3", "--pin", "other=1", "--describe"}, 0},
		"fail-pin":              {[]string{"--pin", "test-pinned=2", "--fail-at", "PinnedImageSetsDegraded"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := execute(t.Context(), tc.args...)
			assert.Equal(t, tc.code, got.code)
			golden(t, name, fmt.Sprintf("$ %s\n%s%s[exit status %d]\n", strings.Join(append([]string{"daemon"}, tc.args...), " "), got.stdout, got.stderr, got.code))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it with: go test ./examples/daemon -update")
	assert.Equal(t, string(want), got, "if that is intended: go test ./examples/daemon -update")
}

func TestRunUsesTheRealClock(t *testing.T) {
	var stdout, stderr bytes.Buffer
	before := time.Now().UTC().Truncate(time.Second)
	require.Equal(t, 0, executeOn(t.Context(), run, &stdout, &stderr, "--step-delay=0", "--describe"))
	assert.Empty(t, stderr.String())
	_, after, found := strings.Cut(stdout.String(), "Last Transition Time:  ")
	require.True(t, found)
	text, _, _ := strings.Cut(after, "\n")
	shown, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	assert.WithinRange(t, shown, before, time.Now())
}

func TestEveryPhaseWithWorkCanFail(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"--rebootless"},
		{"--image-mode"},
		{"--image-mode", "--rebootless", "--pin=a=1"},
	} {
		opts, err := parse(args, nil)
		require.NoError(t, err)
		for _, phase := range opts.failable() {
			t.Run(fmt.Sprintf("%s/%s", phase, args), func(t *testing.T) {
				t.Parallel()
				got := execute(t.Context(), append([]string{"--describe", "--fail-at", strings.ToLower(string(phase))}, args...)...)
				assert.Equal(t, 1, got.code)
				assert.Equal(t, "daemon: the update of node worker-0 failed at "+string(phase)+": simulated failure of --fail-at\n", got.stderr)

				shown := describedCondition(t, got.stdout, phase)
				assert.Equal(t, "Unknown", shown["Status"])
				assert.Contains(t, shown["Message"], ": simulated failure of --fail-at")
				degraded := describedCondition(t, got.stdout, phases.NodeDegraded)
				assert.Equal(t, "True", degraded["Status"])
				assert.Equal(t, "Node worker-0 upgrade failure. "+string(phase)+": simulated failure of --fail-at", degraded["Message"])
			})
		}
	}
}

// describedCondition reads one condition from what describe printed.
func describedCondition(t *testing.T, output string, phase phases.Phase) map[string]string {
	t.Helper()
	for _, block := range strings.Split(output, "    Last Transition Time:")[1:] {
		fields := map[string]string{}
		for _, line := range strings.Split(block, "\n")[1:] {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			if fields[key] == "" {
				fields[key] = strings.TrimSpace(value)
			}
		}
		if fields["Type"] == string(phase) {
			return fields
		}
	}
	require.Fail(t, "no condition "+string(phase))
	return nil
}

func TestUsageErrors(t *testing.T) {
	const noName = " is not a valid name: use at most 253 of a-z, 0-9, '-' and '.', with a letter or digit at both ends"
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":      {[]string{"--nodes=x"}, "unknown flag: --nodes"},
		"value missing":     {[]string{"--node"}, "flag needs an argument: --node"},
		"argument":          {[]string{"worker-0"}, `unexpected argument "worker-0": there are only flags`},
		"bad node":          {[]string{"--node=Worker_0"}, `--node "Worker_0"` + noName},
		"empty node":        {[]string{"--node="}, `--node ""` + noName},
		"bad pool":          {[]string{"--pool=a b"}, `--pool "a b"` + noName},
		"bad from":          {[]string{"--from=-a"}, `--from "-a"` + noName},
		"empty to":          {[]string{"--to="}, `--to ""` + noName},
		"nothing to do":     {[]string{"--from=a", "--to=a"}, "--from and --to are both a: there is nothing to update"},
		"no such phase":     {[]string{"--fail-at=Updated"}, `--fail-at "Updated": in a standard update these can fail: UpdatePrepared, Cordoned, Drained, AppliedFilesAndOS, RebootedNode, Resumed, Uncordoned`},
		"no phase":          {[]string{"--fail-at="}, `--fail-at "": in a standard update these can fail: UpdatePrepared, Cordoned, Drained, AppliedFilesAndOS, RebootedNode, Resumed, Uncordoned`},
		"phase of a reboot": {[]string{"--rebootless", "--fail-at=Drained"}, `--fail-at "Drained": in a rebootless update these can fail: UpdatePrepared, AppliedFilesAndOS, UpdatePostActionComplete, Resumed, Uncordoned`},
		"no duration":       {[]string{"--step-delay=5"}, `invalid argument "5" for "--step-delay" flag: time: missing unit in duration "5"`},
		"unknown format":    {[]string{"-o", "json"}, `--output "json": use wide, or omit it`},
		"negative duration": {[]string{"--step-delay=-1s"}, "--step-delay -1s is negative"},
		"phase of images":   {[]string{"--fail-at=AppliedOSImage"}, `--fail-at "AppliedOSImage": in a standard update these can fail: UpdatePrepared, Cordoned, Drained, AppliedFilesAndOS, RebootedNode, Resumed, Uncordoned`},
		"empty kubeconfig":  {[]string{"--kubeconfig="}, "--kubeconfig is empty: name a file, or omit it to run in memory"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t.Context(), tc.args...)
			assert.Equal(t, outcome{code: 2, stderr: "daemon: " + tc.want + "; see --help\n"}, got)
		})
	}
}

// trigger is an output that calls a function at the first write.
type trigger struct {
	written bytes.Buffer
	call    func()
	once    sync.Once
}

func (w *trigger) Write(p []byte) (int, error) {
	w.once.Do(w.call)
	return w.written.Write(p)
}

func TestInterruptReportsTheLastStep(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stdout := &trigger{call: func() { cancel(errors.New("interrupt signal received")) }}
	var stderr bytes.Buffer
	assert.Equal(t, 1, executeOn(ctx, run, stdout, &stderr, "--step-delay=1h", "--describe"))
	assert.Equal(t, "daemon: the update of node worker-0 failed at UpdatePrepared: interrupt signal received\n", stderr.String())

	prepared := describedCondition(t, stdout.written.String(), phases.UpdatePrepared)
	assert.Equal(t, "Unknown", prepared["Status"])
	assert.Equal(t, "Checking the config: interrupt signal received", prepared["Message"])
	degraded := describedCondition(t, stdout.written.String(), phases.NodeDegraded)
	assert.Equal(t, "False", degraded["Status"], "a node whose daemon is stopped is not degraded")
}

func TestInterruptBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	assert.Equal(t, outcome{code: 1, stderr: "daemon: interrupt signal received\n"}, execute(ctx))
}

// brokenPipe is an output that cannot be written.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenStdout(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, 1, executeOn(t.Context(), run, brokenPipe{}, &stderr))
	assert.Equal(t, "daemon: broken pipe\n", stderr.String())
}
