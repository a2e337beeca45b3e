package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// outcome is the result of a run.
type outcome struct {
	code           int
	stdout, stderr string
}

// output is written to by the program and by its logger.
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
	code := executeOn(ctx, run, &stdout, &stderr, args...)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

func executeOn(ctx context.Context, f program.Func, stdout, stderr io.Writer, args ...string) int {
	return program.Run(ctx, args, program.Streams{Name: "operator", Out: stdout, ErrOut: stderr}, f)
}

func TestInvalidFlags(t *testing.T) {
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
		"no speed":         {[]string{"--simulate=3", "--speed=0"}, "--speed 0: use a positive number"},
		"step, no nodes":   {[]string{"--kubeconfig=x", "--step=1s"}, "--step needs --simulate"},
		"lease in memory":  {[]string{"--simulate=3", "--leader-elect=false"}, "--leader-elect needs --kubeconfig"},
		"no namespace":     {[]string{"--kubeconfig=x", "--leader-elect-resource-namespace="}, "--leader-elect-resource-namespace is empty"},
		"short lease":      {[]string{"--kubeconfig=x", "--leader-elect-lease-duration=1ms"}, "--leader-elect-lease-duration 1ms: use at least 1s"},
		"no requests":      {[]string{"--kubeconfig=x", "--qps=0"}, "--qps 0 --burst 400: use positive limits"},
		"unknown node":     {[]string{"--simulate=4", "--fail-node=worker-1"}, `--fail-node "worker-1": the nodes are master-0, master-1, master-2, worker-0`},
		"empty node":       {[]string{"--simulate=4", "--fail-node="}, "--fail-node is empty: name a node"},
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
	for _, flag := range []string{"--kubeconfig", "--simulate", "--step", "--fail-node", "--leader-elect", "--qps", "--burst", "--output", "--speed", "machine-config-operator of the cluster, which writes the same objects"} {
		assert.Contains(t, got.stdout, flag)
	}
}

// trigger is an output that calls a function at the first write.
type trigger struct {
	output
	call func()
	once sync.Once
}

func (w *trigger) Write(p []byte) (int, error) {
	w.once.Do(w.call)
	return w.output.Write(p)
}

func TestInterruptDuringTheSimulation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var stderr output
	stdout := &trigger{call: func() { cancel(errors.New("interrupt signal received")) }}
	assert.Equal(t, 1, executeOn(ctx, run, stdout, &stderr, "--simulate=4", "--step=1h"))
	assert.Equal(t, "operator: interrupt signal received\n", stderr.String())
}

func TestInterruptBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	assert.Equal(t, outcome{code: 1, stderr: "operator: interrupt signal received\n"}, execute(ctx, "--simulate=4"))
}

// brokenPipe is an output that cannot be written.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenStdout(t *testing.T) {
	var stderr output
	assert.Equal(t, 1, executeOn(t.Context(), run, brokenPipe{}, &stderr, "--simulate=4", "--step=1h"))
	assert.Equal(t, "operator: broken pipe\n", stderr.String())
}
