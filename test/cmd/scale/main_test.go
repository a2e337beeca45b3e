package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThreeNodes makes all measurements on real servers.
func TestThreeNodes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tables.md")
	var stdout, stderr bytes.Buffer

	err := run(t.Context(), []string{"--nodes", "3", "--at-a-time", "2", "--compare", "3", "--markdown", path}, &stdout, &stderr)

	require.NoError(t, err, stderr.String())
	for _, want := range []string{"3 nodes, 12 reports each", "3 nodes, 17 reports each", "| MCO | 78 | 39 | 39 | 0 | 0 |", "\n| this library / MCO | 0.", "\n| 3 | "} {
		assert.Contains(t, stdout.String(), want)
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, stdout.String(), string(written))
	t.Log(stdout.String())
}

func TestFigures(t *testing.T) {
	assert.Equal(t, []string{"0", "999", "1,000", "1,234,567"}, []string{count(0), count(999), count(1000), count(1234567)})
	assert.Equal(t, "0.65", ratio(8500, 13000))
}
