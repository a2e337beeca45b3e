// Command operator runs the operator's side of the library: a MachineConfigNode for each
// Node, and the status of each MachineConfigPool. Run it, then copy from operator.go:
//
//	go run ./examples/operator --kubeconfig FILE                    # on a test cluster
//	go run ./examples/operator --kubeconfig FILE --components       # with reports on the components
//
// It prints the pools as `oc get machineconfigpools --watch` does, until Ctrl-C.
package main

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
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
	return c.operate(ctx, opts)
}
