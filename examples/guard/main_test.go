package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out, []string{"--name", "mine", "--enforce-transitions"}))
	assert.Contains(t, out.String(), "name: mine")
	require.NoError(t, run(&out, []string{"--help"}))
	require.Error(t, run(&out, []string{"--no-such-flag"}))
}
