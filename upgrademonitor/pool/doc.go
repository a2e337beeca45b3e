// Package pool computes the status of a MachineConfigPool from its nodes.
//
//	Node ──────────────┐
//	MachineConfigNode ─┼─► member ─► count ─► conditions ─► status ─► events
//	MachineConfigPool ─┘   one per node          ▲
//	MachineOSConfig, MachineOSBuild ─► image ────┘
//
// [Primary] returns the pool of a node, [Status] the status of a pool, and [Events] the events to
// record after a status was written. They have no client, clock or state, change no argument, and
// are safe for concurrent use. The controller that calls them reads the objects, limits its rate,
// writes the status and records the events: see examples/operator.
//
// The package does not:
//
//   - treat a Node that is cordoned, reboots or joins as being updated. The Node's annotations
//     request an update, and its MachineConfigNode reports the update.
//   - render a config, select a node to update, or find the build of a pool.
//   - write the conditions RenderDegraded, PinnedImageSetsDegraded and PoolSynchronizerDegraded, or
//     certExpirys and osImageStream: Status copies them from the pool.
package pool
