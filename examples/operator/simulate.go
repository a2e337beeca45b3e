package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/examples/internal/simulation"
)

// display shows a simulated cluster: a screen, or a table of its pools.
type display interface {
	cache.ResourceEventHandler // of the operator's pools

	// begin starts to show the cluster.
	begin()
	// until waits until the state is shown.
	until(ctx context.Context, state simulation.State) error
	// end shows the cluster for the last time.
	end() error
}

// simulate runs the controllers on a cluster in memory while it is updated.
func (c command) simulate(ctx context.Context, cluster *simulation.Cluster, wide bool) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var shown display = newTable(c.Out, cluster.Clock(), fail)
	if !wide {
		rollout, err := newRolloutScreen(c.Streams, cluster, fail)
		if err != nil {
			return err
		}
		defer rollout.close()
		shown = rollout
	}
	controllers := operator{kube: cluster.KubeClient(), client: cluster.Client(), pools: shown, interval: simulation.PoolInterval}
	return cluster.Run(ctx, controllers.run, func(ctx context.Context) error {
		if _, err := settle(ctx, cluster, shown); err != nil {
			return err
		}
		shown.begin()
		start := cluster.Clock().Now()
		failure := cluster.Rollout(ctx)
		took := cluster.Clock().Since(start)
		state, err := settle(ctx, cluster, shown)
		if err != nil {
			return err
		}
		if err := shown.end(); err != nil {
			return err
		}
		if failure != nil {
			return errors.Join(c.explain(state.Pools), failure)
		}
		return c.summarize(took, cluster.Outages())
	})
}

// settle waits until the pools have the status of their nodes and are shown.
func settle(ctx context.Context, cluster *simulation.Cluster, shown display) (simulation.State, error) {
	state, err := cluster.Settle(ctx)
	if err != nil {
		return state, err
	}
	return state, shown.until(ctx, state)
}

// explain prints the conditions of degraded pools, which name the causes.
func (c command) explain(pools []*mcfgv1.MachineConfigPool) error {
	for _, p := range pools {
		for _, condition := range p.Status.Conditions {
			if condition.Type != mcfgv1.MachineConfigPoolNodeDegraded || condition.Status != corev1.ConditionTrue {
				continue
			}
			if _, err := fmt.Fprintf(c.Out, "\nMachineConfigPool %s, condition %s: %s\n", p.Name, condition.Type, condition.Message); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c command) summarize(took time.Duration, outages []simulation.Outage) error {
	var nodes int
	var parts []string
	for _, o := range outages {
		nodes += o.Nodes
		parts = append(parts, fmt.Sprintf("%s %d of %d", o.Pool, o.Unavailable, o.Nodes))
	}
	_, err := fmt.Fprintf(c.Out, "\nAll nodes (%d) were updated in %s. Unavailable at a time, at most: %s.\n",
		nodes, took.Round(time.Second), strings.Join(parts, ", "))
	return err
}
