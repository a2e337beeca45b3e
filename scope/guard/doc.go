// Package guard generates the RBAC and admission objects that restrict the daemon of each node to
// the MachineConfigNode of that node. An administrator installs these objects. A daemon does not
// need this package.
//
//	guard.Guard ──► WriteManifests ──► kubectl apply ──► API server
//	                                                         │ 403 for a write of
//	daemon of node A ────────────────────────────────────────┤ node B's object
package guard
