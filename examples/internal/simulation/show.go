package simulation

import (
	"context"
	"fmt"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/examples/internal/mcp"
)

// Display shows a cluster while it is updated.
type Display interface {
	// Begin starts to show the cluster.
	Begin()
	// Wait waits until the state is shown.
	Wait(context.Context, State) error
	// End shows the cluster for the last time.
	End() error
}

// Result is that of a rollout.
type Result struct {
	Pools   []*mcfgv1.MachineConfigPool // as they are now
	Outages []Outage
	Took    time.Duration
	Blocked error // a BlockedError; nil: all nodes are updated
}

// Show runs a rollout while a display shows it. See Run for controllers.
func (c *Cluster) Show(ctx context.Context, controllers func(context.Context) error, display Display) (Result, error) {
	var result Result
	err := c.Run(ctx, controllers, func(ctx context.Context) error {
		if _, err := c.waitUntilShown(ctx, display); err != nil {
			return err
		}
		display.Begin()
		start := c.clock.Now()
		result.Blocked = c.Rollout(ctx)
		result.Took = c.clock.Since(start)
		state, err := c.waitUntilShown(ctx, display)
		if err != nil {
			return err
		}
		result.Pools, result.Outages = state.Pools, c.Outages()
		return display.End()
	})
	return result, err
}

// waitUntilShown waits until the pools have the status of their nodes and are shown.
func (c *Cluster) waitUntilShown(ctx context.Context, display Display) (State, error) {
	state, err := c.WaitForStatus(ctx)
	if err != nil {
		return state, err
	}
	return state, display.Wait(ctx, state)
}

// String returns a summary for a person: of the outages, or of the degraded pools, whose
// conditions name the causes.
func (r Result) String() string {
	if r.Blocked == nil {
		return r.outages()
	}
	var b strings.Builder
	for _, p := range r.Pools {
		if mcp.IsTrue(p, mcfgv1.MachineConfigPoolNodeDegraded) {
			condition := mcp.Condition(p, mcfgv1.MachineConfigPoolNodeDegraded)
			fmt.Fprintf(&b, "\nMachineConfigPool %s, condition %s: %s\n", p.Name, condition.Type, condition.Message)
		}
	}
	return b.String()
}

func (r Result) outages() string {
	var nodes int
	var parts []string
	for _, o := range r.Outages {
		nodes += o.Nodes
		parts = append(parts, fmt.Sprintf("%s %d of %d", o.Pool, o.Unavailable, o.Nodes))
	}
	return fmt.Sprintf("\nAll nodes (%d) were updated in %s. Unavailable at a time, at most: %s.\n",
		nodes, r.Took.Round(time.Second), strings.Join(parts, ", "))
}
