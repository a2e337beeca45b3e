// Package progress reports how a rollout is progressing: the step of each node, which ones are
// stuck, since when and why, and how long it will take.
//
// A snapshot of the objects is enough:
//
//	MachineConfigNode ──► Node ─────────┐
//	MachineConfigPool ──────────────────┼──► Pools ──► Pool: counts, stuck nodes, time left
//	time, Limits ───────────────────────┘
//
// A watch adds what the objects lose when an update ends:
//
//	MachineConfigNode, each version ──► History.Observe ──► History.Spans: the timeline
//	                                                   └──► Pools: what each step typically takes
//
// The states of a node in a rollout:
//
//	Unreported   Waiting ──► Updating ──► Done
//	                          │    ▲
//	                          ▼    │
//	                          Stuck
//
// It reads the objects of any daemon that reports these conditions, also if it changes their times with
// each message and omits steps. What is not known is left empty, and never guessed.
//
// The package is pure: no I/O, no clock, no logging. Everything but a History is safe for
// concurrent use.
//
// It does not read Nodes, Pods and disruption budgets, and formats nothing: messages are those of
// the objects, of any length and with any characters.
package progress
