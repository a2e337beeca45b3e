package program

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// UsageError is an error of the command line. The exit code is ExitUsage.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() + "; see --help" }

// Unwrap returns what is wrong with the command line.
func (e *UsageError) Unwrap() error { return e.Err }

// ExitCode returns ExitUsage.
func (*UsageError) ExitCode() int { return ExitUsage }

// Usage returns a UsageError, nil for nil. It leaves pflag.ErrHelp as it is.
func Usage(err error) error {
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return err
	}
	return &UsageError{Err: err}
}

// NewFlags returns the flags of a program, listed in the order of their definition. For --help,
// usage gets their descriptions and writes the text to out.
func NewFlags(name string, out io.Writer, usage func(flags string) string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() { _, _ = io.WriteString(out, usage(flags.FlagUsages())) }
	return flags
}

// Parse parses the arguments of a program that takes flags only.
func Parse(flags *pflag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: there are only flags", flags.Arg(0))
	}
	return nil
}
