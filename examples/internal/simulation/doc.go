// Package simulation is a cluster in memory: an API server with MachineConfigPools and Nodes,
// a daemon on each Node that reports its updates with the library's Monitor, and a node
// controller that rolls out the next config, pool by pool, within maxUnavailable.
//
//	cluster, err := simulation.New(ctx, simulation.Options{Nodes: 20, Step: time.Second, Jitter: 0.5})
//	…
//	err = cluster.Run(ctx, cluster.Controllers, func(ctx context.Context) error {
//		return cluster.Rollout(ctx) // watch cluster.Client() meanwhile
//	})
//
// The work of an update is not done: a daemon waits for as long as a step is to take.
//
// Show runs a rollout while a Display shows it. FailStep runs an operator and a controller that report
// on MachineConfiguration/cluster: a step of the operator fails and recovers.
package simulation
