package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

// The exit codes.
const (
	exitFailed      = 1 // a node or a pool is in the way, or the output cannot be written
	exitUsage       = 2 // wrong arguments, or a cluster that cannot be read
	exitTimeout     = 3 // of wait
	exitInterrupted = 130
)

// cli is the environment of a run of the command.
type cli struct {
	genericiooptions.IOStreams
	clock    clock.WithTicker
	patience time.Duration // how long the API server may take to answer a request
	terminal terminal.Terminal
	config   *genericclioptions.ConfigFlags
}

// note prints a note or an error, in one line.
func (c *cli) note(format string, args ...any) {
	_, _ = fmt.Fprintf(c.ErrOut, "kubectl mcn: %s\n", screen.Clean(fmt.Sprintf(format, args...), 0))
}

// notFound says that there is nothing to print, as kubectl does.
func (c *cli) notFound() { _, _ = fmt.Fprintln(c.ErrOut, screen.NotFound) }

// exitError is an error with an exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return source.Usagef("unexpected argument %q; see %s --help", args[0], cmd.CommandPath())
	}
	return nil
}

// notNegative checks the durations of flags.
func notNegative(flags map[string]time.Duration) error {
	for name, d := range flags {
		if d < 0 {
			return source.Usagef("--%s %s is negative", name, d)
		}
	}
	return nil
}
