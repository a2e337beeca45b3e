package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComponentsFitThePipe(t *testing.T) {
	t.Setenv("COLUMNS", "40")
	exit, stdout, stderr := runComponentsOn(t, http.StatusOK, degradedOperator)
	require.Zero(t, exit, stderr)
	for line := range strings.Lines(stdout) {
		assert.LessOrEqual(t, len(line)-1, 40, line)
	}
	exit, wide, _ := runComponentsOn(t, http.StatusOK, degradedOperator, "-o", "wide")
	assert.Zero(t, exit)
	assert.Contains(t, wide, "OperatorSyncMCD: timed out\n")
}
