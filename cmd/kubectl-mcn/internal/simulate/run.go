package simulate

import (
	"context"
	"sync"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// RunWith runs the daemons and the controllers while work runs, and returns its error. It may be called once.
func (c *Cluster) RunWith(ctx context.Context, work func(context.Context) error) error {
	nodes, pools := c.core.Core().V1().Nodes(), c.mcfg.Machineconfiguration().V1().MachineConfigPools()
	objects, err := rollout.New(rollout.Config{Client: c.Client, KubeClient: c.kube, Nodes: nodes, Pools: pools, MachineConfigNodes: c.machineConfigNodes()})
	if err != nil {
		return err
	}
	statuses, err := pool.New(pool.Config{Client: c.Client, Nodes: nodes, Pools: pools, MachineConfigNodes: c.machineConfigNodes(), Interval: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	running, fail := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	defer func() {
		fail(nil)
		group.Wait()
		c.core.Shutdown()
		c.mcfg.Shutdown()
	}()
	c.core.StartWithContext(running)
	c.mcfg.StartWithContext(running)
	c.core.WaitForCacheSync(running.Done())
	c.mcfg.WaitForCacheSync(running.Done())
	all := []func(context.Context) error{
		func(ctx context.Context) error { return objects.Run(ctx, 1) },
		func(ctx context.Context) error { return statuses.Run(ctx, 1) },
	}
	for i, name := range nodeNames(c.options.Nodes) {
		all = append(all, newDaemon(c, name, uint64(i)).run)
	}
	for _, run := range all {
		group.Go(func() {
			if err := run(running); err != nil {
				fail(err)
			}
		})
	}
	return work(running)
}
