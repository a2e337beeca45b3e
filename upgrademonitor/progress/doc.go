// Package progress computes the state of a node from its Node and its MachineConfigNode: what the
// node runs and is told to run, the step of its update, why it is unavailable, and why it failed.
//
//	Node ──────────────┐
//	MachineConfigNode ─┴─► Of ──► Node
//
// Package pool computes the counts and the conditions of a MachineConfigPool from these values. They
// also decide which nodes kubectl mcn shows as stuck.
//
// The package can read the MachineConfigNodes of daemons with and without this library. A daemon
// may change lastTransitionTime with each message, omit steps, or write the v1alpha1 API. If a
// value is not known, its field has the zero value.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use. Messages
// are copied from conditions and annotations, so they may have any length and any characters.
package progress
