package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/programtest"
	"github.com/openshift/upgrademonitor/phases"
)

var update = flag.Bool("update", false, "write the golden files")

// execute runs the program without delays, with a clock that is a second later at each report.
func execute(ctx context.Context, args ...string) programtest.Outcome {
	return programtest.Run(ctx, "daemon", func(ctx context.Context, args []string, streams program.Streams) error {
		reports := &clocktesting.SimpleIntervalClock{Time: time.Date(2025, 5, 22, 12, 37, 24, 0, time.UTC), Duration: time.Second}
		now := clocktesting.NewFakePassiveClock(reports.Time)
		return command{Streams: streams, clock: now, reports: reports, timeout: 10 * time.Second}.run(ctx, args)
	}, append([]string{"--step-delay=0"}, args...)...)
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
			assert.Equal(t, tc.code, got.Code)
			golden(t, name, fmt.Sprintf("$ %s\n%s%s[exit status %d]\n", strings.Join(append([]string{"daemon"}, tc.args...), " "), got.Stdout, got.Stderr, got.Code))
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
	before := time.Now().UTC().Truncate(time.Second)
	got := programtest.Run(t.Context(), "daemon", run, "--step-delay=0", "--describe")
	require.Zero(t, got.Code, got.Stderr)
	assert.Empty(t, got.Stderr)
	_, after, found := strings.Cut(got.Stdout, "Last Transition Time:  ")
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
				assert.Equal(t, 1, got.Code)
				assert.Equal(t, "daemon: the update of node worker-0 failed at "+string(phase)+": simulated failure of --fail-at\n", got.Stderr)

				shown := describedCondition(t, got.Stdout, phase)
				assert.Equal(t, "Unknown", shown["Status"])
				assert.Contains(t, shown["Message"], ": simulated failure of --fail-at")
				degraded := describedCondition(t, got.Stdout, phases.NodeDegraded)
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
			assert.Equal(t, programtest.Outcome{Code: 2, Stderr: "daemon: " + tc.want + "; see --help\n"}, got)
		})
	}
}

func TestInterruptReportsTheLastStep(t *testing.T) {
	stdout, ctx := programtest.NewInterrupter(t.Context())
	got := programtest.RunOn(ctx, "daemon", run, stdout, "--step-delay=1h", "--describe")
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "daemon: the update of node worker-0 failed at UpdatePrepared: interrupt signal received\n"}, got)

	prepared := describedCondition(t, stdout.String(), phases.UpdatePrepared)
	assert.Equal(t, "Unknown", prepared["Status"])
	assert.Equal(t, "Checking the config: interrupt signal received", prepared["Message"])
	degraded := describedCondition(t, stdout.String(), phases.NodeDegraded)
	assert.Equal(t, "False", degraded["Status"], "a node whose daemon is stopped is not degraded")
}

func TestInterruptBeforeTheStart(t *testing.T) {
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "daemon: interrupt signal received\n"}, execute(programtest.Interrupted(t.Context())))
}

func TestBrokenStdout(t *testing.T) {
	got := programtest.RunOn(t.Context(), "daemon", run, programtest.BrokenPipe{})
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "daemon: broken pipe\n"}, got)
}
