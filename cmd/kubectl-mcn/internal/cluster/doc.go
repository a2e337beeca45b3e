// Package cluster computes the progress of each pool of a cluster: the state of its nodes, which
// nodes are stuck, and an estimate of the remaining time.
//
//	Node, MachineConfigNode ──► Node ──┐
//	MachineConfigPool ─────────────────┼──► Pools ──► Pool: counts, stuck nodes, time left
//	time, Limits ──────────────────────┘
//
// The states of a node:
//
//	Unreported   Idle   Waiting ──► Updating ──► Done
//	                                 │    ▲
//	                                 ▼    │
//	                                 Stuck
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use.
package cluster
