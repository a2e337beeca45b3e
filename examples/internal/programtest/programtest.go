// Package programtest runs the examples in their tests.
package programtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

// ErrInterrupt is the cause with which the context of a program ends in a test.
var ErrInterrupt = errors.New("interrupt signal received")

// Outcome is the result of a run.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a program.
func Run(ctx context.Context, name string, run program.Func, args ...string) Outcome {
	var stdout Output
	outcome := RunOn(ctx, name, run, &stdout, args...)
	outcome.Stdout = stdout.String()
	return outcome
}

// RunOn runs a program with this standard output.
func RunOn(ctx context.Context, name string, run program.Func, stdout io.Writer, args ...string) Outcome {
	var stderr Output
	code := program.Run(ctx, args, program.Streams{Name: name, Out: stdout, ErrOut: &stderr}, run)
	return Outcome{Code: code, Stderr: stderr.String()}
}

// Output keeps what is written to it, by the program and by its logger.
type Output struct {
	mu      sync.Mutex
	written bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written.String()
}

// Interrupter is an output that ends a context at the first write.
type Interrupter struct {
	Output
	cancel context.CancelCauseFunc
}

// NewInterrupter returns an output, and the context that it ends.
func NewInterrupter(ctx context.Context) (*Interrupter, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Interrupter{cancel: cancel}, ctx
}

func (i *Interrupter) Write(p []byte) (int, error) {
	i.cancel(ErrInterrupt)
	return i.Output.Write(p)
}

// Interrupted returns a context that has ended.
func Interrupted(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(ErrInterrupt)
	return ctx
}

// BrokenPipe is an output that cannot be written.
type BrokenPipe struct{}

func (BrokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
