// Command kubectl-mcn shows the progress of the updates of a cluster's nodes: each pool, the stuck nodes,
// since when, why, and what to do next. In the PATH it is kubectl mcn and oc mcn. It writes nothing.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

func main() {
	debug.SetGCPercent(25)        // 5,000 objects are decoded, and dropped
	klog.SetLogger(klog.Logger{}) // client-go's log would be mixed with the output
	// A server that goes away is noticed after 10 seconds instead of 45.
	_ = os.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "5")
	_ = os.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "5")

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	args := os.Args[1:]
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl_complete-mcn") {
		args = append([]string{"__complete"}, args...)
	}
	c := &cli{
		IOStreams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		clock:     clock.RealClock{}, patience: 30 * time.Second, terminal: terminal.For(os.Stdout),
	}
	os.Exit(c.run(ctx, args))
}

// run runs one command, prints its error in one line, and returns the exit code.
func (c *cli) run(ctx context.Context, args []string) int {
	root := newRoot(c)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var coded *exitError
	var usage *source.UsageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return exitFailed // the reader has closed the pipe
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &coded):
		c.note("%v", err)
		return coded.code
	case errors.As(err, &usage):
		c.note("%v", err)
		return exitUsage
	}
	c.note("%v", err)
	return exitFailed
}
