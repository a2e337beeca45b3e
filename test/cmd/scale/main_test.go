package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain also runs the controllers, in the child process.
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

// TestThreeNodes runs all measurements on real servers.
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

// cancelAt is the progress of run, which is interrupted at a text.
type cancelAt struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelAt) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.text) {
		c.cancel()
	}
	return len(p), nil
}

// TestInterruptedRun prints what was measured before.
func TestInterruptedRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts real servers")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var stdout bytes.Buffer

	err := run(ctx, []string{"--nodes", "", "--compare", "2", "--compare-at-a-time", "2"}, &stdout, cancelAt{"comparison of 17 reports", cancel})

	require.ErrorIs(t, err, context.Canceled)
	assert.Contains(t, stdout.String(), "2 nodes, 12 reports each")
	assert.NotContains(t, stdout.String(), "17 reports each")
}
