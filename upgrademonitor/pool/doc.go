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
// A layered pool is a pool with its own OS image: a MachineOSConfig names the pool, and each
// MachineOSBuild builds an image.
//
// The annotations of a Node request an update, and its MachineConfigNode shows the update. A cordon, a
// reboot or a new node alone does not count as an update.
//
// The package does not render a config, select nodes to update, or find the MachineOSBuild of a
// pool. It does not compute the conditions RenderDegraded, PinnedImageSetsDegraded and
// PoolSynchronizerDegraded, or the fields certExpirys and osImageStream: Status copies these
// conditions and fields from the status of the pool.
package pool
