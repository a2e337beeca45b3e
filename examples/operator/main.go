// Command operator runs the operator's side of the library: a MachineConfigNode for each
// Node, and the status of each MachineConfigPool. Run it, then copy from operator.go:
//
//	go run ./examples/operator --simulate 20                        # a cluster in memory
//	go run ./examples/operator --simulate 20 -o wide                # the same, as a table of the pools
//	go run ./examples/operator --simulate 20 --fail-node worker-0   # with a node that fails
//	go run ./examples/operator --simulate 20 --fail-step OperatorSyncMCP
//	go run ./examples/operator --kubeconfig FILE                    # on a test cluster
//	go run ./examples/operator --kubeconfig FILE --components       # with reports on the components
//
// On a cluster it prints the pools as `oc get machineconfigpools --watch` does, until Ctrl-C. In
// memory it updates all nodes and shows the rollout as `kubectl mcn --watch` does, with a summary
// of how many nodes were unavailable at a time. Then a step of the operator fails and recovers, as
// `kubectl mcn components` shows it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/componentview"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/rolloutview"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

func main() { program.Main("operator", run) }

func run(ctx context.Context, args []string, streams program.Streams) error {
	return command{Streams: streams, clock: clock.RealClock{}, timeout: 10 * time.Second}.run(ctx, args)
}

// command is one run of the program.
type command struct {
	program.Streams
	clock   clock.PassiveClock
	timeout time.Duration // of the first answers of the API server
}

func (c command) run(ctx context.Context, args []string) error {
	opts, err := parse(args, c.Out)
	if err != nil {
		return program.Usage(err)
	}
	ctx = program.WithVerbosity(ctx, c.Streams, opts.verbosity)
	if opts.kubeconfig != "" {
		return c.operate(ctx, opts)
	}
	simulated, err := simulation.New(ctx, opts.simulation)
	if err != nil {
		return err
	}
	if err := c.rollOut(ctx, simulated, opts.wide); err != nil {
		return err
	}
	return c.failStep(ctx, simulated, opts)
}

// display shows a simulated cluster: a view of the rollout, or a table of its pools.
type display interface {
	simulation.Display
	cache.ResourceEventHandler // of the operator's pools
}

// rollOut runs the controllers on a cluster in memory while it is updated.
func (c command) rollOut(ctx context.Context, simulated *simulation.Cluster, wide bool) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var shown display = newTable(c.Out, simulated.Clock(), fail)
	if !wide {
		view, err := rolloutview.New(c.Out, simulated, fail)
		if err != nil {
			return err
		}
		defer view.Close()
		shown = view
	}
	controllers := operator{kube: simulated.KubeClient(), client: simulated.Client(), pools: shown, interval: simulation.PoolInterval}
	result, err := simulated.Show(ctx, controllers.run, shown)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.Out, result.String())
	return errors.Join(err, result.Blocked)
}

// failStep lets a step of the operator fail and recover.
func (c command) failStep(ctx context.Context, simulated *simulation.Cluster, opts options) error {
	width := 0
	if !opts.wide {
		width, _ = terminal.Of(c.Out).Size()
	}
	return simulated.FailStep(ctx, opts.failStep, func(title string, conditions []metav1.Condition) error {
		if _, err := fmt.Fprintf(c.Out, "\n%s:\n\n", title); err != nil {
			return err
		}
		return componentview.Render(c.Out, conditions, simulated.Clock().Now(), componentview.Options{Width: width})
	})
}
