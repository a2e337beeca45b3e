package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestAFailedStepIsShownAndRecovers(t *testing.T) {
	var out strings.Builder
	c := command{Streams: program.Streams{Name: "operator", Out: &out, ErrOut: &out}, clock: clock.RealClock{}}
	require.NoError(t, c.showFailedStep(t.Context(), components.OperatorSyncMCD))
	before, rest, found := strings.Cut(out.String(), "A step of the operator fails:")
	require.True(t, found, out.String())
	during, after, found := strings.Cut(rest, "It has recovered:")
	require.True(t, found, out.String())
	assert.Regexp(t, `cluster  True +True +True\n`, before)
	assert.Regexp(t, `cluster  False +True +True\n`, during)
	assert.Regexp(t, `operator +- +Unhealthy +\d+s +OperatorSyncMCD: timed out waiting for DaemonSet`, during)
	assert.Regexp(t, `cluster  True +True +True\n`, after)
	assert.Regexp(t, `operator +- +Healthy +\d+s +resolved \d+s ago: OperatorSyncMCD: timed out`, after)
}

func TestAFailedStepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	c := command{Streams: program.Streams{Name: "operator", Out: &out, ErrOut: &out}, clock: clock.RealClock{}}
	assert.ErrorIs(t, c.showFailedStep(ctx, components.OperatorSyncMCD), context.Canceled)
}

func TestFailStepIsValidated(t *testing.T) {
	for want, args := range map[string][]string{
		"--components needs --kubeconfig":        {"--simulate=1", "--components"},
		"--fail-step needs --simulate":           {"--kubeconfig=x", "--fail-step=OperatorSyncMCD"},
		`--fail-step "SyncMCC": use a step of`:   {"--simulate=1", "--fail-step=SyncMCC"},
		`--fail-step "": use a step of Operator`: {"--simulate=1", "--fail-step="},
	} {
		got := execute(t.Context(), args...)
		assert.Equal(t, 2, got.code)
		assert.Contains(t, got.stderr, want)
	}
}

func TestFailStepFollowsTheUpdate(t *testing.T) {
	got := execute(t.Context(), "--simulate=1", "--step=1ms", "--fail-step=OperatorSyncMCP")
	require.Zero(t, got.code, got.stderr)
	_, after, found := strings.Cut(got.stdout, "All nodes (1) were updated")
	require.True(t, found, got.stdout)
	assert.Contains(t, after, "OperatorSyncMCP: timed out")
}
