// Command daemon is a small node daemon that reports an update of its node on the node's
// MachineConfigNode, as the machine-config-daemon would. Run it, then copy from daemon.go:
//
//	go run ./examples/daemon                       # a whole update, in memory
//	go run ./examples/daemon -o wide               # the same, as oc get machineconfignodes shows it
//	go run ./examples/daemon --rebootless          # an update without a reboot
//	go run ./examples/daemon --fail-at Drained     # an update that fails
//	go run ./examples/daemon --image-mode          # an update of config and image
//	go run ./examples/daemon --pin test-pinned=3   # with a pinned image set
//	go run ./examples/daemon --kubeconfig FILE     # on a test cluster
//
// It prints a line for each change of the object. The work of the update is simulated: nothing
// is drained, written to disk or rebooted, and no Node of a cluster is changed.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/phases"
)

func main() { program.Main("daemon", run) }

func run(ctx context.Context, args []string, streams program.Streams) error {
	return command{Streams: streams, clock: clock.RealClock{}, reports: clock.RealClock{}, timeout: 10 * time.Second}.run(ctx, args)
}

// command is one run of the program.
type command struct {
	program.Streams
	clock   clock.PassiveClock
	reports clock.PassiveClock // of the times in conditions
	timeout time.Duration      // of the answers of the API server at the start and at the end
}

func (c command) run(ctx context.Context, args []string) error {
	opts, err := parse(args, c.Out)
	if err != nil {
		return program.Usage(err)
	}
	// The library logs what it cannot return. A daemon keeps the logger; here the log would
	// appear between the lines of the output.
	return c.update(klog.NewContext(ctx, klog.Logger{}), opts)
}

// update runs an update of the node and prints it.
func (c command) update(ctx context.Context, opts options) error {
	cluster, err := connect(ctx, opts, c)
	if err != nil {
		return err
	}
	d := &daemon{options: opts, clientset: cluster.clientset, node: cluster.node, clock: c.reports}
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { d.stop() }()
	if err := d.reportUpdated(ctx); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return fmt.Errorf("cannot report on node %s: %w", opts.node, err)
	}

	// The view outlives ctx, to print the last changes after Ctrl-C too.
	viewing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	view, err := watchObject(viewing, cluster.client, c.printer(opts))
	if err != nil {
		return err
	}
	failure := d.update(ctx)

	viewing, cancel = context.WithTimeout(viewing, c.timeout)
	defer cancel()
	object, err := c.conclude(viewing, d, cluster, view)
	if err != nil {
		return errors.Join(failure, err)
	}
	if failure == nil && opts.lacksImage(object) {
		c.Warn(errors.New("the object has no images: the CRD of the cluster has no configImage, which needs the feature gate ImageModeStatusReporting"))
	}
	if failure == nil && conditions.StatusOf(object.Status.Conditions, phases.Updated) != metav1.ConditionTrue {
		return fmt.Errorf("the update of node %s is done, but another process has changed its MachineConfigNode: run one daemon at a time on a node", opts.node)
	}
	return failure
}

// printer returns what prints the changes of the object.
func (c command) printer(opts options) printer {
	if opts.wide {
		return newTable(c.Out, c.clock, opts)
	}
	return &lines{out: c.Out, location: c.clock.Now().Location()}
}

// conclude waits until everything is written and printed. It returns the object.
func (c command) conclude(ctx context.Context, d *daemon, cluster *cluster, view *view) (*mcfgv1.MachineConfigNode, error) {
	if err := d.monitor.Flush(ctx); err != nil {
		return nil, fmt.Errorf("cannot write all reports: %w", err)
	}
	object, err := cluster.client.Get(ctx, d.options.node, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot read the MachineConfigNode: %w", err)
	}
	if err := view.until(ctx, object.ResourceVersion); err != nil {
		return nil, err
	}
	if !d.options.describe {
		return object, nil
	}
	return object, describe(c.Out, object)
}

// now returns the time on the program's clock, for the API server in memory.
func (c command) now(time.Time) time.Time { return c.clock.Now() }
