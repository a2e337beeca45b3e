package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table has a row for each number of nodes. The output and the file have the same table.
func TestTheTableHasARowForEachNumberOfNodes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.md")
	var stdout, stderr bytes.Buffer

	err := run(t.Context(), []string{"--nodes", "3", "--at-a-time", "2", "--markdown", path}, &stdout, &stderr)

	require.NoError(t, err, stderr.String())
	assert.Contains(t, stdout.String(), "12 reports each")
	assert.Contains(t, stdout.String(), "\n| 3 | ")
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, stdout.String(), string(written))
	t.Log(stdout.String())
}

func TestNumbersHaveCommas(t *testing.T) {
	assert.Equal(t, []string{"0", "999", "1,000", "1,234,567"}, []string{count(0), count(999), count(1000), count(1234567)})
}
