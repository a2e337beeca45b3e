package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
	"github.com/openshift/upgrademonitor/phases"
)

func TestPinsDoNotStopTheUpdate(t *testing.T) {
	for _, tc := range []struct {
		args                  []string
		progressing, degraded string
		block                 string
	}{
		{nil, "False", "False", `
  Pinned Image Sets:
    Current Generation:  3
    Desired Generation:  3
    Name:                test-pinned
    Current Generation:  2147483647
    Desired Generation:  2147483647
    Name:                a.b
`},
		{[]string{"--fail-at=pinnedimagesetsdegraded"}, "True", "True", `
  Pinned Image Sets:
    Desired Generation:            3
    Last Failed Generation:        3
    Last Failed Generation Error:  simulated failure of --fail-at
    Name:                          test-pinned
    Desired Generation:            2147483647
    Last Failed Generation:        2147483647
    Last Failed Generation Error:  simulated failure of --fail-at
    Name:                          a.b
`},
	} {
		for _, mode := range [][]string{{"--image-mode"}, {"--rebootless"}} {
			t.Run(fmt.Sprint(tc.args, mode), func(t *testing.T) {
				got := execute(t.Context(), append(append([]string{"--describe", "--pin=test-pinned=3", "--pin=a.b=2147483647"}, mode...), tc.args...)...)
				assert.Equal(t, 0, got.Code)
				assert.Empty(t, got.Stderr)
				assert.True(t, strings.HasSuffix(got.Stdout, tc.block), "%s", got.Stdout)
				assert.Equal(t, tc.progressing, describedCondition(t, got.Stdout, phases.PinnedImageSetsProgressing)["Status"])
				assert.Equal(t, tc.degraded, describedCondition(t, got.Stdout, phases.PinnedImageSetsDegraded)["Status"])
				assert.Equal(t, "True", describedCondition(t, got.Stdout, phases.Updated)["Status"])
				assert.Equal(t, "False", describedCondition(t, got.Stdout, phases.NodeDegraded)["Status"])
			})
		}
	}
}

func TestInterruptWhilePinning(t *testing.T) {
	stdout, ctx := programtest.NewInterrupter(t.Context())
	got := programtest.RunOn(ctx, "daemon", run, stdout, "--step-delay=1h", "--describe", "--pin=a=1")
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "daemon: the update of node worker-0 failed at PinnedImageSetsProgressing: interrupt signal received\n"}, got)
	shown := stdout.String()
	assert.Equal(t, "True", describedCondition(t, shown, phases.Updated)["Status"], "no update has started")
	assert.Equal(t, "False", describedCondition(t, shown, phases.PinnedImageSetsDegraded)["Status"], "a daemon that is stopped does not fail a set")
}

func TestAsManyPinsAsAnObjectTakes(t *testing.T) {
	args := []string{"--describe"}
	for i := range maxPins {
		args = append(args, fmt.Sprintf("--pin=set-%d=1", i))
	}
	got := execute(t.Context(), args...)
	require.Equal(t, 0, got.Code, got.Stderr)
	assert.Equal(t, maxPins, strings.Count(got.Stdout, "    Current Generation:  1\n"))
	got = execute(t.Context(), append(args, "--pin=one-more=1")...)
	assert.Equal(t, programtest.Outcome{Code: 2, Stderr: "daemon: --pin is set 101 times: a MachineConfigNode holds at most 100 pinned image sets; see --help\n"}, got)
}

func TestPinUsageErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no generation":      {[]string{"--pin=a"}, `--pin "a" has no generation: use name=generation, for example test-pinned=3`},
		"empty":              {[]string{"--pin="}, `--pin "" has no generation: use name=generation, for example test-pinned=3`},
		"no name":            {[]string{"--pin==1"}, `--pin "" is not a valid name: use at most 253 of a-z, 0-9, '-' and '.', with a letter or digit at both ends`},
		"bad name":           {[]string{"--pin=A=1"}, `--pin "A" is not a valid name: use at most 253 of a-z, 0-9, '-' and '.', with a letter or digit at both ends`},
		"empty generation":   {[]string{"--pin=a="}, `--pin a: generation "" is not a number from 1 to 2147483647`},
		"generation 0":       {[]string{"--pin=a=0"}, `--pin a: generation "0" is not a number from 1 to 2147483647`},
		"generation of text": {[]string{"--pin=a=1=2"}, `--pin a: generation "1=2" is not a number from 1 to 2147483647`},
		"huge generation":    {[]string{"--pin=a=2147483648"}, `--pin a: generation "2147483648" is not a number from 1 to 2147483647`},
		"twice":              {[]string{"--pin=a=1", "--pin=b=1", "--pin=a=2"}, "duplicate --pin a"},
		"failing, no pin":    {[]string{"--fail-at=PinnedImageSetsDegraded"}, "--fail-at PinnedImageSetsDegraded needs --pin"},
		"no such phase":      {[]string{"--rebootless", "--pin=a=1", "--fail-at=x"}, `--fail-at "x": in a rebootless update these can fail: UpdatePrepared, AppliedFilesAndOS, UpdatePostActionComplete, Resumed, Uncordoned, PinnedImageSetsDegraded`},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t.Context(), tc.args...)
			assert.Equal(t, programtest.Outcome{Code: 2, Stderr: "daemon: " + tc.want + "; see --help\n"}, got)
		})
	}
}
