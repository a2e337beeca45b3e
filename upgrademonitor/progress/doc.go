// Package progress reports how far a rollout is: the step of each node, which nodes are stuck,
// since when and why, and how long the rollout will take.
//
//	MachineConfigNode ──► Node ─────────┐
//	MachineConfigPool ──────────────────┼──► Pools ──► Pool: counts, stuck nodes, time left
//	time, Limits ───────────────────────┘
//
// The states of a node in a rollout:
//
//	Unreported   Idle   Waiting ──► Updating ──► Done
//	                                 │    ▲
//	                                 ▼    │
//	                                 Stuck
//
// The package reads the objects of any daemon that reports these conditions, even a daemon that
// changes their times with each message, omits steps, or writes the v1alpha1 API. An unknown value
// is left empty, never guessed.
//
// The package is pure: no I/O, no clock, no logging. It is safe for concurrent use.
//
// It reads no Nodes, Pods or disruption budgets, and formats nothing: a message is copied from a
// condition, and may have any length and any characters.
package progress
