// Package pool computes the status of a MachineConfigPool from what its nodes report.
//
// A pool's status follows from its nodes and from what their MachineConfigNodes report:
//
//	Node ──────────────┐
//	MachineConfigNode ─┼─► report ──► count ──► conditions ──► status
//	MachineConfigPool ─┘   one a node
//
// [Status] is that function: no cluster, no clock, no I/O. [Primary] returns the pool of a
// node.
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
//   - It reads no pod, and of a Node's annotations the images only: a cordon by another process, a
//     reboot or a joining node does not make a pool Updating. The MachineConfigNodes report that.
//   - It does not read MachineOSConfigs and MachineOSBuilds: Config.Image returns what the host knows of them.
//   - It renders no config, selects no node to update, and writes nothing but the status of pools.
//   - The conditions RenderDegraded, ImageBuildDegraded and PoolSynchronizerDegraded are others'; so
//     are certExpirys and osImageStream. One Controller at a time should run in a cluster: leader
//     election is the host's.
package pool
