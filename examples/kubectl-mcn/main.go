package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

// The exit codes besides those of package program. See the package's documentation for those of
// wait.
const (
	exitTimeout     = 3
	exitInterrupted = 130
)

func main() {
	klog.SetLogger(klog.Logger{}) // client-go's log would be mixed with the output
	program.Main("kubectl-mcn", func(ctx context.Context, args []string, streams program.Streams) error {
		c := cli{Streams: streams, clock: clock.RealClock{}, patience: 30 * time.Second, terminal: terminal.Of(os.Stdout)}
		return c.run(ctx, args)
	})
}

// cli is the environment of a run of the command.
type cli struct {
	program.Streams
	clock    clock.WithTicker
	patience time.Duration // how long the API server may take to answer a request
	terminal terminal.Terminal
}

// run runs one command. Its error has the exit code.
func (p cli) run(ctx context.Context, args []string) error {
	err := p.dispatch(ctx, args)
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return &exitError{code: program.ExitFailure} // the reader has closed the pipe
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return &exitError{code: exitInterrupted}
	}
	return err
}

// note prints a note that is not an error.
func (p cli) note(format string, args ...any) {
	p.Warn(fmt.Errorf("%s", printable(fmt.Sprintf(format, args...))))
}

// notFound notes that there is nothing to print, as kubectl does.
func (p cli) notFound() error {
	_, err := fmt.Fprintln(p.ErrOut, screen.NotFound)
	return err
}

// dispatch runs the command in the first argument, or shows the pools.
func (p cli) dispatch(ctx context.Context, args []string) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(ctx, p, args[1:])
			}
		}
	}
	return runSnapshot(ctx, p, args)
}

// command is a command that may be the first argument.
type command struct {
	name string
	run  func(ctx context.Context, p cli, args []string) error
}

// commands has the commands by name. Each one has a file of its own.
var commands = []command{
	{"wait", runWait},
	{"timeline", runTimeline},
	{"components", runComponents},
}

// exitError is an error with an exit code. One without a cause prints nothing.
type exitError struct {
	code int
	err  error
}

// Error returns the cause, without control characters.
func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return printable(e.err.Error())
}

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }

// ExitCode returns the code.
func (e *exitError) ExitCode() int { return e.code }

// usage returns an error of the arguments, or of a cluster without the requested objects.
func usage(format string, args ...any) error {
	return &exitError{program.ExitUsage, fmt.Errorf(format, args...)}
}
