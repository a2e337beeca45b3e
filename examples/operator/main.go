// Command operator runs the operator's side of the library: a MachineConfigNode for each
// Node, and the status of each MachineConfigPool. Run it, then copy from operator.go:
//
//	go run ./examples/operator --simulate 20                        # a cluster in memory
//	go run ./examples/operator --simulate 20 --fail-node worker-0   # with a node that fails
//	go run ./examples/operator --kubeconfig FILE                    # on a test cluster
//
// It prints the pools as `oc get machineconfigpools --watch` would. On a cluster it runs
// until Ctrl-C. In memory, what else a cluster has is pretended, all nodes go through an
// update, and a summary says how many of them were unavailable at a time.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	"k8s.io/utils/clock"
)

// What the program exits with.
const (
	exitDone    = 0
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return program{stdout: stdout, stderr: stderr, clock: clock.RealClock{}, patience: 10 * time.Second}.run(ctx, args)
}

// program is what a run needs from outside.
type program struct {
	stdout, stderr io.Writer
	clock          clock.PassiveClock
	patience       time.Duration // how long the API server may take to answer at the start
}

func (p program) run(ctx context.Context, args []string) int {
	opts, err := parse(args, p.stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitDone
	case err != nil:
		p.complain(fmt.Errorf("%w; see --help", err))
		return exitUsage
	}
	// What the controllers log is what goes wrong, and goes by the rows.
	ctx = klog.NewContext(ctx, textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(p.stderr))))
	work := p.simulate
	if opts.kubeconfig != "" {
		work = p.operate
	}
	if err := work(ctx, opts); err != nil {
		p.complain(err)
		return exitFailure
	}
	return exitDone
}

// complain prints an error on one line, however many it has.
func (p program) complain(err error) {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	_, _ = fmt.Fprintln(p.stderr, "operator:", strings.Join(lines, "; "))
}

// operate runs the controllers on a cluster, until ctx ends.
func (p program) operate(ctx context.Context, opts options) error {
	c, err := connect(ctx, opts.kubeconfig, p.patience)
	if err != nil {
		return err
	}
	if len(c.pools) == 0 {
		p.complain(errors.New("there are no MachineConfigPools yet: a row comes with each"))
	}
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	rows := newTable(p.stdout, p.clock, fail)
	for i := range c.pools {
		rows.OnAdd(&c.pools[i], true)
	}
	rows.begin()
	err = operator{kube: c.kube, client: c.client, pools: rows}.run(running)
	if ctx.Err() == nil && err == nil {
		err = context.Cause(running) // of the rows
	}
	return err
}
