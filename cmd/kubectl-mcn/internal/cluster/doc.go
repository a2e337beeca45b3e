// Package cluster computes the progress of the pools of a cluster: the state of each node, which
// nodes are stuck and why, whether a pool stands still, and an estimate of the remaining time.
//
//	Node, MachineConfigNode ──► Node ──┐
//	MachineConfigPool ─────────────────┼──► Of ──► Cluster ──► Pools, with their Nodes
//	time, Limits ──────────────────────┘
//
// The states of a node:
//
//	Unreported   Idle   Waiting ──► Updating ──► Done
//	                                 │    ▲
//	                                 ▼    │
//	                                 Stuck
//
// A cluster has three witnesses: the pool, the Node and the MachineConfigNode. A pool is done only
// if all of them agree.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use.
package cluster
