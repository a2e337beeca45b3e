// Package cluster computes the progress of the pools of a cluster: the state of each node, which
// nodes are stuck and why, whether a pool is stalled, and an estimate of the remaining time.
//
//	Node, MachineConfigNode ──► Node ──┐
//	MachineConfigPool ─────────────────┼──► Of ──► Cluster ──► Pools, with their Nodes
//	time ──────────────────────────────┘
//
// The states of a node:
//
//	Unreported   Idle   Waiting ──► Updating ──► Done
//	                                 │    ▲
//	                                 ▼    │
//	                                 Stuck
//
// A pool is done only if its status, its Nodes and its MachineConfigNodes all say so.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use.
package cluster
