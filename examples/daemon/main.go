// Command daemon is a small node daemon that reports an update of its node on the node's
// MachineConfigNode, as the machine-config-daemon would. Run it, then copy from daemon.go:
//
//	go run ./examples/daemon                       # a whole update, in memory
//	go run ./examples/daemon --rebootless          # one that needs no reboot
//	go run ./examples/daemon --fail-at Drained     # one that fails
//	go run ./examples/daemon --image-mode          # one to another image as well
//	go run ./examples/daemon --pin test-pinned=3   # one with a pinned image set
//	go run ./examples/daemon --kubeconfig FILE     # on a test cluster
//
// It prints a row for each change that `oc get machineconfignodes -o wide` would show, and
// at the end the conditions as `oc describe` would. The work of the update is pretended:
// nothing is drained, written to disk or rebooted, and no Node on a cluster is changed.
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

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
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
	patience       time.Duration // how long the API server may take to answer at the start and at the end
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
	// The library logs what it cannot return. A daemon leaves klog as it is; here it would
	// get in between the rows.
	if err := p.update(klog.NewContext(ctx, klog.Logger{}), opts); err != nil {
		p.complain(err)
		return exitFailure
	}
	return exitDone
}

// complain prints an error on one line, however many it has.
func (p program) complain(err error) {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	_, _ = fmt.Fprintln(p.stderr, "daemon:", strings.Join(lines, "; "))
}

// update runs one update of the node and shows it.
func (p program) update(ctx context.Context, opts options) error {
	c, err := connect(ctx, opts, p)
	if err != nil {
		return err
	}
	d := &daemon{options: opts, clientset: c.clientset, node: c.node, clock: p.clock}
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { d.stop() }()
	if err := d.settle(ctx); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return fmt.Errorf("cannot report on node %s: %w", opts.node, err)
	}

	// What shows the update lives longer than ctx: after Ctrl-C too, the last rows are due.
	showing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	rows, err := watchRows(showing, c.client, newTable(p.stdout, opts))
	if err != nil {
		return err
	}
	failure := d.update(ctx)

	showing, cancel = context.WithTimeout(showing, p.patience)
	defer cancel()
	object, err := p.conclude(showing, d, c, rows)
	if err != nil {
		return errors.Join(failure, err)
	}
	if failure == nil && opts.lacksImage(object) {
		p.complain(errors.New("the images are left out: the CRD on the cluster has no configImage, which comes with the feature gate ImageModeStatusReporting"))
	}
	if failure == nil && conditions.StatusOf(object.Status.Conditions, phases.Updated) != metav1.ConditionTrue {
		return fmt.Errorf("the update of node %s is done, but another process has changed its MachineConfigNode meanwhile: let one daemon at a time report on a node", opts.node)
	}
	return failure
}

// conclude waits until everything is written and every row is printed, then describes the
// object.
func (p program) conclude(ctx context.Context, d *daemon, c *cluster, rows *rows) (*mcfgv1.MachineConfigNode, error) {
	if err := d.monitor.Flush(ctx); err != nil {
		return nil, fmt.Errorf("cannot write all that happened: %w", err)
	}
	object, err := c.client.Get(ctx, d.options.node, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot read what was written: %w", err)
	}
	if err := rows.until(ctx, object.ResourceVersion); err != nil {
		return nil, err
	}
	return object, describe(p.stdout, object)
}
