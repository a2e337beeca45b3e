// Package guard describes the objects that keep the daemon of each node to its own MachineConfigNode.
// An administrator installs them; a daemon does not need this package.
//
//	guard.Guard ──► WriteManifests ──► kubectl apply ──► API server
//	                                                         │ 403 for a write of
//	daemon of node A ────────────────────────────────────────┤ node B's object
package guard
