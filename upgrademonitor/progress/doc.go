// Package progress computes the state of a node from its Node and its MachineConfigNode: the config and
// image that the node runs and that it is told to run, the step of its update, why it is unavailable,
// and the error if it has failed.
//
//	Node ──────────────┐
//	MachineConfigNode ─┴─► Of ──► Node
//
// The config of a node is a rendered MachineConfig. Its image is its own OS image, if it has one.
//
// Package pool computes the counts and the conditions of a MachineConfigPool from these values, and
// the command kubectl mcn shows them.
//
// The package can read the MachineConfigNodes of daemons with and without package upgrademonitor.
// Daemons without it may change lastTransitionTime with each message, omit steps, or write the
// v1alpha1 API. If a value is not known, its field has the zero value.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use. Messages
// are copied from conditions and annotations, so they may have any length and any characters.
package progress
