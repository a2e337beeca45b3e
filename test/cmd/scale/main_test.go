package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain is also the child process that runs the controllers.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == controllersCommand {
		if err := command(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestThreeNodes runs all of it on real servers.
func TestThreeNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts real servers")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "tables.md")
	var stdout, stderr bytes.Buffer

	err := run(ctx, []string{"--nodes", "3", "--at-a-time", "2", "--compare", "3", "--compare-at-a-time", "2", "--markdown", path}, &stdout, &stderr)

	require.NoError(t, err, stderr.String())
	assert.Contains(t, stdout.String(), "| today        |       78 |  39 |    39 |     0 |   0 |")
	assert.Contains(t, stdout.String(), "| ours         |       51 |   3 |    45 |     3 |   0 |")
	assert.Contains(t, stdout.String(), "| today        |      102 |")
	assert.Contains(t, stdout.String(), "| ours         |       60 |")
	assert.Contains(t, stdout.String(), "| 3 pool         |")
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, stdout.String(), string(written))
}
