// Package pool computes the status of a MachineConfigPool from its nodes.
//
//	Node ──────────────┐
//	MachineConfigNode ─┼─► member ─► count ─► conditions ─► status ─► events
//	MachineConfigPool ─┘   one per node          ▲
//	MachineOSConfig, MachineOSBuild ─► image ────┘
//
// [Primary] returns the pool of a node, [Status] the status of a pool, and [Events] the events to
// record after a status was written. They are functions without a client, a clock or state; they
// change no argument, and are safe for concurrent use. The controller that calls them reads the
// objects, limits its rate, writes the status and records the events: see examples/operator.
//
// The package does not:
//
//   - conclude an update from a Node that was cordoned, reboots or joins. Updates are requested by
//     the Node's annotations, and reported by its MachineConfigNode.
//   - render a config, select a node to update, or find the build of a pool.
//   - write the conditions RenderDegraded, PinnedImageSetsDegraded and PoolSynchronizerDegraded, or
//     certExpirys and osImageStream: they are kept as they are.
package pool
