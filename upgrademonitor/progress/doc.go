// Package progress computes the progress of a rollout: the current step of each node, which nodes
// are stuck and why, and an estimate of the remaining time.
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
// The package can read the MachineConfigNodes of daemons with and without this library. A daemon
// may change lastTransitionTime with each message, omit steps, or write the v1alpha1 API. If a
// value is not known, its field has the zero value.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use. It does
// not read Nodes, Pods or PodDisruptionBudgets. Messages are copied from conditions, so they may
// have any length and any characters.
package progress
