package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// The exit codes. An error with a method ExitCode() int has its own.
const (
	ExitSuccess = 0
	ExitFailure = 1
	ExitUsage   = 2
)

// Streams are what a program reads and writes.
type Streams struct {
	Name   string // of the program: each line of an error begins with it
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer
}

// Func is a program. It returns when ctx ends, which a signal does.
type Func func(ctx context.Context, args []string, streams Streams) error

// Main runs a program as the process does, and exits. The first interrupt ends the context of
// the program, a second one the process.
func Main(name string, run Func) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, os.Args[1:], Streams{Name: name, In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, run))
}

// Run runs a program, prints its error and returns the exit code. What is logged with the
// context's logger is written to the error stream.
func Run(ctx context.Context, args []string, streams Streams, run Func) int {
	err := run(WithVerbosity(ctx, streams, 0), args, streams)
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return ExitSuccess
	}
	streams.Warn(err)
	var coder interface{ ExitCode() int }
	if errors.As(err, &coder) {
		return coder.ExitCode()
	}
	return ExitFailure
}

// WithVerbosity returns a context whose logger writes up to this verbosity to the error stream.
func WithVerbosity(ctx context.Context, streams Streams, verbosity int) context.Context {
	config := textlogger.NewConfig(textlogger.Output(streams.ErrOut), textlogger.Verbosity(verbosity))
	return klog.NewContext(ctx, textlogger.NewLogger(config))
}

// Warn prints an error on one line, even if its text has several. An error without a text
// is not printed.
func (s Streams) Warn(err error) {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) > 0 {
		_, _ = fmt.Fprintf(s.ErrOut, "%s: %s\n", s.Name, strings.Join(lines, "; "))
	}
}
