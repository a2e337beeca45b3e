// Package pool says how far the machines of a MachineConfigPool are.
//
// A pool's status follows from its nodes and from what their MachineConfigNodes report:
//
//	Node ──────────────┐
//	MachineConfigNode ─┼─► machine ──► counts ──► conditions ──► status
//	MachineConfigPool ─┘   one a node
//
// [Status] is that function: no cluster, no clock, no I/O. [Primary] says which pool a node is of.
//
// A [Controller] keeps the status of every pool, from the shared informers of its host:
//
//	controller, err := pool.New(pool.Config{
//		Client:             clientset,
//		Nodes:              kubeFactory.Core().V1().Nodes(),
//		Pools:              mcfgFactory.Machineconfiguration().V1().MachineConfigPools(),
//		MachineConfigNodes: mcfgFactory.Machineconfiguration().V1().MachineConfigNodes(),
//	})
//	…
//	kubeFactory.StartWithContext(ctx)
//	mcfgFactory.StartWithContext(ctx)
//	err = controller.Run(ctx, 2)
//
// What is guaranteed is written at [Status] and at [Controller.Run].
//
// What it does not do:
//
//   - It reads no annotation and no pod: a cordon by somebody else, a reboot or a node that has just
//     joined does not make a pool Updating. That is for the MachineConfigNodes to say.
//   - It renders no config, chooses no node to update, and writes nothing but the status of pools.
//   - The conditions RenderDegraded, ImageBuildDegraded and PoolSynchronizerDegraded are others'; so
//     are certExpirys and osImageStream. One Controller at a time is to run in a cluster: electing
//     it is the host's.
package pool
