// Package pool computes the status of a MachineConfigPool from what its nodes report.
//
// A pool's status follows from its nodes and from what their MachineConfigNodes report:
//
//	Node ──────────────┐
//	MachineConfigNode ─┼─► report ──► count ──► conditions ──► status
//	MachineConfigPool ─┘   one per node
//
// [Status] is that function: no cluster, no clock, no I/O. It reads a MachineConfigNode as package
// progress does. [Primary] returns the pool of a node.
//
// A [Controller] keeps the status of every pool, from the shared informers of the embedding process,
// which starts their factories after [New].
//
// What is guaranteed is written at [Status] and at [Controller.Run].
//
// What it does not do:
//
//   - It reads no pod, and of a Node's annotations the images only: a cordon by another process, a
//     reboot or a joining node does not make a pool Updating. The MachineConfigNodes report that.
//   - It does not read MachineOSConfigs and MachineOSBuilds: Config.Image returns what is known of them.
//   - It renders no config, selects no node to update, and writes nothing but the status of pools.
//   - The conditions RenderDegraded, ImageBuildDegraded and PoolSynchronizerDegraded are written by other
//     controllers; so are certExpirys and osImageStream. One Controller at a time should run in a
//     cluster: leader election is up to the embedding process.
package pool
