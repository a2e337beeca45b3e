// Command operator runs the operator's side of the library: a MachineConfigNode for each
// Node, and the status of each MachineConfigPool. Run it, then copy from operator.go:
//
//	go run ./examples/operator --simulate 20                        # a cluster in memory
//	go run ./examples/operator --simulate 20 -o wide                # the same, as a table of the pools
//	go run ./examples/operator --simulate 20 --fail-node worker-0   # with a node that fails
//	go run ./examples/operator --simulate 20 --fail-step OperatorSyncMCD
//	go run ./examples/operator --kubeconfig FILE                    # on a test cluster
//	go run ./examples/operator --kubeconfig FILE --components       # with reports on the components
//
// On a cluster it prints the pools as `oc get machineconfigpools --watch` does, until Ctrl-C. In
// memory it updates all nodes and shows the rollout as `kubectl mcn --watch` does, with a summary
// of how many nodes were unavailable at a time.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
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
	cluster, err := simulation.New(ctx, opts.simulation)
	if err != nil {
		return err
	}
	if err := c.simulate(ctx, cluster, opts.wide); err != nil || opts.failStep == "" {
		return err
	}
	return c.showFailedStep(ctx, opts.failStep)
}

// operate runs the controllers on a cluster until ctx ends.
func (c command) operate(ctx context.Context, opts options) error {
	cluster, err := connect(ctx, opts, c.timeout)
	if err != nil {
		return err
	}
	lead := func(ctx context.Context) error { return c.lead(ctx, cluster) }
	if !opts.leaderElect {
		return lead(ctx)
	}
	return election{
		leases:    cluster.leases,
		namespace: opts.leaseNamespace,
		identity:  newIdentity(),
		duration:  opts.leaseDuration,
		waiting: func(holder string) {
			c.Warn(fmt.Errorf("waiting for the Lease %s/%s, which %s holds", opts.leaseNamespace, leaseName, holder))
		},
	}.run(ctx, lead)
}

// lead runs the controllers until ctx ends.
func (c command) lead(ctx context.Context, cluster *cluster) error {
	pools, err := cluster.client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list MachineConfigPools: %w", err)
	}
	if len(pools.Items) == 0 {
		c.Warn(errors.New("the cluster has no MachineConfigPools yet"))
	}
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	rows := newTable(c.Out, c.clock, fail)
	for i := range pools.Items {
		rows.OnAdd(&pools.Items[i], true)
	}
	rows.begin()
	controllers := operator{kube: cluster.kube, client: cluster.client, pools: rows}.run
	if cluster.configurations != nil {
		controllers = both(controllers, clusterReports(cluster.kube, cluster.client, cluster.configurations).run)
	}
	err = controllers(running)
	if ctx.Err() == nil && err == nil {
		err = context.Cause(running) // of the table
	}
	return err
}

// both runs two functions until one of them returns, and waits for the other.
func both(a, b func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ended := make(chan error, 2)
		go func() { ended <- a(ctx) }()
		go func() { ended <- b(ctx) }()
		err := <-ended
		cancel()
		return errors.Join(err, <-ended)
	}
}
