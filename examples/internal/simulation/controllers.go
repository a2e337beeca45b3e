package simulation

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// PoolInterval is the pool controller's interval (see pool.Config): a simulated update is
// faster than one of a cluster.
const PoolInterval = 100 * time.Millisecond

// Controllers runs the operator's controllers until ctx ends, for a program that has none.
func (c *Cluster) Controllers(ctx context.Context) error {
	objects, err := rollout.New(rollout.Config{
		Client: c.client, KubeClient: c.kube, Nodes: c.Nodes(), Pools: c.Pools(), MachineConfigNodes: c.MachineConfigNodes(),
	})
	if err != nil {
		return err
	}
	statuses, err := pool.New(pool.Config{
		Client: c.client, Nodes: c.Nodes(), Pools: c.Pools(), MachineConfigNodes: c.MachineConfigNodes(), Interval: PoolInterval,
	})
	if err != nil {
		return err
	}
	return program.Together(ctx, // neither runs without the other
		func(ctx context.Context) error { return objects.Run(ctx, 1) },
		func(ctx context.Context) error { return statuses.Run(ctx, 1) })
}
