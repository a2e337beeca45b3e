package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/scope/guard"
)

func TestRun(t *testing.T) {
	var out, want strings.Builder
	require.NoError(t, run(&out, []string{"--name", "mine", "--namespace", "ours", "--service-account", "daemon", "--enforce-transitions"}))
	mine := guard.Guard{Name: "mine", Namespace: "ours", ServiceAccount: "daemon", EnforceTransitions: true}
	require.NoError(t, mine.WriteManifests(&want))
	assert.Equal(t, want.String(), out.String())

	out.Reset()
	require.NoError(t, run(&out, nil))
	golden, err := os.ReadFile("../../scope/manifests/guard.yaml")
	require.NoError(t, err)
	_, manifests, _ := strings.Cut(string(golden), "\n") // without the first line, a comment
	assert.Equal(t, manifests, out.String())

	require.NoError(t, run(&out, []string{"--help"}))
	require.Error(t, run(&out, []string{"--no-such-flag"}))
}
