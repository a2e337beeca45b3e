// Package progress computes the state of a node from its Node and its MachineConfigNode: the
// current and the desired config and image, the step of the update, the reasons why the node is
// unavailable, and its error if the node has failed.
//
//	Node ──────────────┐
//	MachineConfigNode ─┴─► Of ──► Node
//
// The config of a node is the name of a rendered MachineConfig. The image of a node is the node's
// own OS image, or "" if the node uses the OS image of the release.
//
// Package pool computes the counts and the conditions of a MachineConfigPool from the results of
// Of, and the command kubectl mcn shows these results.
//
// The package can read the MachineConfigNodes of daemons with and without package upgrademonitor.
// Daemons without it may change lastTransitionTime with each message, omit steps, or write the
// v1alpha1 API. A field has the zero value if its value is not known.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use. Messages
// are copied from conditions and annotations, so they may have any length and any characters.
package progress
