// Package command implements the commands of kubectl mcn: their flags, the sources that they read,
// and their exit codes. Package screen renders the output.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	mobyterm "github.com/moby/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

// The exit codes of failures.
const (
	exitFailed      = 1 // wait found a pool that has failed or, in files, is not done; or the output cannot be written
	exitUsage       = 2 // the arguments are wrong, or the source cannot be read
	exitTimeout     = 3 // wait has reached its timeout
	exitInterrupted = 130
)

// CLI is the environment in which the commands run.
type CLI struct {
	genericiooptions.IOStreams

	clock          clock.WithTickerAndDelayedExecution
	requestTimeout time.Duration // limits the time until the API server starts its response
	terminal       terminal.Terminal
	config         clientcmd.ClientConfig
}

// New returns a CLI with the streams and the terminal of the process.
func New() *CLI {
	in, out, errOut := mobyterm.StdStreams()
	return &CLI{
		IOStreams: genericiooptions.IOStreams{In: in, Out: out, ErrOut: errOut},
		clock:     clock.RealClock{}, requestTimeout: 30 * time.Second, terminal: terminal.For(out),
	}
}

// Main runs the command with the arguments of the process, and returns the exit code.
func (c *CLI) Main() int {
	debug.SetGCPercent(20)        // decoding 5,000 objects produces much garbage
	klog.SetLogger(klog.Logger{}) // discard client-go's log, which would mix with the output
	// The client closes a connection to a dead server after 10 seconds instead of 45.
	_ = os.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "5")
	_ = os.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "5")

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	return c.run(ctx, os.Args[1:])
}

// run runs the command that args select, and returns the exit code. It prints an error in one line.
func (c *CLI) run(ctx context.Context, args []string) int {
	root := newRoot(c)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		return exitInterrupted
	}
	c.note("%v", err)
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded.code
	}
	if _, ok := errors.AsType[*source.UsageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// note prints a note or an error in one line on stderr.
func (c *CLI) note(format string, args ...any) {
	_, _ = fmt.Fprintf(c.ErrOut, "kubectl mcn: %s\n", screen.Clean(fmt.Sprintf(format, args...)))
}

type exitError struct {
	code int
	error
}

func newRoot(c *CLI) *cobra.Command {
	root := newSnapshot(c)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mcn"}
	root.Version = version()
	root.SilenceErrors, root.SilenceUsage = true, true
	c.config = bindConfig(root.PersistentFlags())
	// The help would be too long with the flags of kubectl.
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	root.AddCommand(newNodeCommand(c), newWait(c), newComponents(c))
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.ErrOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return source.Usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	return root
}

// version returns the module version that Go recorded in the binary, and the version of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version + ", " + info.GoVersion
}
