// Package pool computes the status of a MachineConfigPool from its nodes.
//
//	Node ──────────────┐
//	MachineConfigNode ─┴─► progress.Node ─► count ─► conditions ─► status ─► events
//	                         one per node              ▲
//	MachineConfigPool, MachineOSConfig, MachineOSBuild ┘
//
// [Primary] returns the pool of a node. [Status] returns the status of a pool. [Events] returns the
// events to record after the status was written. These functions use no client, clock or state, do
// not modify their arguments, and are safe for concurrent use. The caller reads the objects, limits
// the rate of writes, writes the status and records the events: see examples/operator.
//
// The package does not:
//
//   - count a node as being updated only because it is cordoned, reboots or joins the cluster. Only
//     the Node's annotations request an update, and only the MachineConfigNode reports it.
//   - render a config, select a node to update, or find the MachineOSBuild of a pool.
//   - compute the conditions RenderDegraded, PinnedImageSetsDegraded and PoolSynchronizerDegraded,
//     or the fields certExpirys and osImageStream. Status copies these from the pool.
package pool
