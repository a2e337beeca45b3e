// Package progress reports how far a rollout is: the step of each node, which nodes are stuck, since
// when and why, and how long the rollout will take.
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
// The package reads the objects of any daemon that reports these conditions: also a daemon that
// changes their times with each message, omits steps, or has the v1alpha1 API. An unknown value is
// left empty, and never guessed.
//
// The package is pure: no I/O, no clock, no logging. It is safe for concurrent use.
//
// It reads no Nodes, Pods and disruption budgets, and formats nothing: a message is a part of a
// condition's message, of any length and with any characters.
package progress
