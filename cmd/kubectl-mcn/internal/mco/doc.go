// Package mco has what the command knows about machine-config-operator: it reads the update of one
// node in detail, with the steps, their durations and the cause if a step fails.
//
//	Node, MachineConfigNode ──► Of ──► Node, which has the progress.Node of both
//
// Daemons without package upgrademonitor may change lastTransitionTime with each message, omit steps,
// or write the v1alpha1 API. A field has the zero value if its value is not known.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use. Messages
// are copied from conditions and annotations, so they may have any length and any characters.
package mco
