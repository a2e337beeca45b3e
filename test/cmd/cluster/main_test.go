package main

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

func TestUpTwiceAndDown(t *testing.T) {
	require.Empty(t, commandWithin(t.Context(), t, "--build"), "without a limit of time")
	dir := filepath.Join(t.TempDir(), "a folder")
	t.Cleanup(func() { _, _ = cluster.Down(context.Background(), dir) })
	line := "export KUBECONFIG='" + dir + "/kubeconfig'\n"

	// Two at once, as from two shells.
	var group sync.WaitGroup
	var outputs [2]string
	for i := range outputs {
		group.Go(func() { outputs[i] = command(t, "--dir", dir) })
	}
	group.Wait()
	require.Equal(t, [2]string{line, line}, outputs)

	c, err := cluster.Up(testContext(t), cluster.Options{Dir: dir})
	require.NoError(t, err)
	pid := c.APIServerPID()
	require.NotZero(t, pid)
	require.Equal(t, line, command(t, "--dir", dir))
	again, err := cluster.Up(testContext(t), cluster.Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, pid, again.APIServerPID())

	err = run(testContext(t), []string{"--dir", dir, "--image-mode"}, &bytes.Buffer{}, &bytes.Buffer{})
	require.ErrorContains(t, err, "without image mode")
	_, err = cluster.Start(testContext(t), cluster.Options{Dir: dir})
	require.ErrorContains(t, err, "a cluster runs in")

	require.Empty(t, command(t, "--dir", dir, "--down"))
	require.Zero(t, c.APIServerPID())
	require.Zero(t, c.EtcdPID())
	require.NoFileExists(t, c.Kubeconfig())
	require.Empty(t, command(t, "--dir", dir, "--down"), "nothing runs: no error")
}

func TestArguments(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.ErrorIs(t, run(testContext(t), []string{"--help"}, &stdout, &stderr), flag.ErrHelp)
	require.Contains(t, stderr.String(), "-image-mode")
	require.ErrorContains(t, run(testContext(t), []string{"down"}, &stdout, &stderr), `unexpected argument "down"`)
	require.Empty(t, stdout.String())
}

func TestShellQuote(t *testing.T) {
	require.Equal(t, "/home/me/x-1.2", shellQuote("/home/me/x-1.2"))
	require.Equal(t, "'/home/me/a b'", shellQuote("/home/me/a b"))
	require.Equal(t, `'/home/it'\''s'`, shellQuote("/home/it's"))
	require.Equal(t, "'/home/$x/y'", shellQuote("/home/$x/y"))
}

// command runs the program and returns its standard output.
func command(t *testing.T, args ...string) string {
	t.Helper()
	return commandWithin(testContext(t), t, args...)
}

func commandWithin(ctx context.Context, t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err := run(ctx, args, &stdout, &stderr)
	if err != nil {
		t.Error(err, stderr.String()) // also from another goroutine
	}
	return stdout.String()
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
