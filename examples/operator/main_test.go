package main

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// outcome is what a run leaves behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// output is written to by the program and by what logs.
type output struct {
	mu      sync.Mutex
	written bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written.String()
}

func execute(ctx context.Context, args ...string) outcome {
	var stdout, stderr output
	code := run(ctx, args, &stdout, &stderr)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

func TestFlagsThatCannotBeUsed(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"none":             {nil, "name a cluster with --kubeconfig, or use --simulate 20 to run in memory"},
		"argument":         {[]string{"now"}, `unexpected argument "now": there are only flags`},
		"both":             {[]string{"--kubeconfig=x", "--simulate=3"}, "--kubeconfig and --simulate exclude each other"},
		"empty kubeconfig": {[]string{"--kubeconfig="}, "--kubeconfig is empty: name a file, or use --simulate to run in memory"},
		"no nodes":         {[]string{"--simulate=0"}, "--simulate 0: use from 1 to 200 nodes"},
		"too many nodes":   {[]string{"--simulate=201"}, "--simulate 201: use from 1 to 200 nodes"},
		"no number":        {[]string{"--simulate=many"}, `invalid argument "many" for "--simulate" flag: strconv.ParseInt: parsing "many": invalid syntax`},
		"negative step":    {[]string{"--simulate=3", "--step=-1s"}, "--step -1s is negative"},
		"step, no nodes":   {[]string{"--kubeconfig=x", "--step=1s"}, "--step and --fail-node go with --simulate"},
		"unknown node":     {[]string{"--simulate=4", "--fail-node=worker-1"}, `--fail-node "worker-1": the nodes are master-0, master-1, master-2, worker-0`},
		"unknown flag":     {[]string{"--verbose"}, "unknown flag: --verbose"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, outcome{code: 2, stderr: "operator: " + tc.want + "; see --help\n"}, execute(t.Context(), tc.args...))
		})
	}
}

func TestHelp(t *testing.T) {
	got := execute(t.Context(), "--help")
	assert.Zero(t, got.code)
	assert.Empty(t, got.stderr)
	for _, flag := range []string{"--kubeconfig", "--simulate", "--step", "--fail-node"} {
		assert.Contains(t, got.stdout, flag)
	}
}

// trigger is a stdout that calls a function once it is written to.
type trigger struct {
	output
	call func()
	once sync.Once
}

func (w *trigger) Write(p []byte) (int, error) {
	w.once.Do(w.call)
	return w.output.Write(p)
}

func TestInterruptEndsTheSimulation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var stderr output
	stdout := &trigger{call: func() { cancel(errors.New("interrupt signal received")) }}
	assert.Equal(t, 1, run(ctx, []string{"--simulate=4", "--step=1h"}, stdout, &stderr))
	assert.Equal(t, "operator: interrupt signal received\n", stderr.String())
}

func TestInterruptBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	assert.Equal(t, outcome{code: 1, stderr: "operator: interrupt signal received\n"}, execute(ctx, "--simulate=4"))
}

// brokenPipe is a stdout that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestStdoutThatCannotBeWritten(t *testing.T) {
	var stderr output
	assert.Equal(t, 1, run(t.Context(), []string{"--simulate=4", "--step=1h"}, brokenPipe{}, &stderr))
	assert.Equal(t, "operator: broken pipe\n", stderr.String())
}
