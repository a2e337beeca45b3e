// Package progress computes the state of a node from its Node and its MachineConfigNode: the
// current and the desired config and image, whether the node is in an update, whether it is
// available, and its errors if it is degraded.
//
//	Node ──────────────┐
//	MachineConfigNode ─┴─► Of ──► Node
//
// The config of a node is the name of a rendered MachineConfig. The image of a node is the node's
// own OS image, or "" if the node uses the OS image of the release.
//
// Package pool computes the counts and the conditions of a MachineConfigPool from the results of
// Of, package components counts the nodes in an update, and the command kubectl mcn adds the steps.
//
// The package can read the MachineConfigNodes of daemons with and without package upgrademonitor.
//
// The package is pure: it has no I/O, no clock and no log. It is safe for concurrent use. Messages
// are copied from conditions and annotations, so they may have any length and any characters.
package progress
