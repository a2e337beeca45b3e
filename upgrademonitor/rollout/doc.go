// Package rollout keeps one MachineConfigNode (MCN) for each Node. It is the operator's counterpart of
// package upgrademonitor, which a daemon calls.
//
//	Nodes ──────────────┐                        owner, spec
//	MachineConfigPools ─┼─► informers ─► queue ─► create ────► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The embedding process starts the factories of the informers after [New], and elects a leader.
//
//  1. A Node that is neither Pending nor Provisioning has an object. A Windows node has no object. On a
//     cluster without pools nothing is written or deleted.
//  2. The object's owner is the Node, its pool is the node's primary pool (pool.Primary), its desired
//     config and image are those of the node's annotations, or "not-yet-set". A node that no pool
//     selects any longer keeps its pool.
//  3. If conflicting pools select a node, its pool is kept, and a warning event of the Node is
//     recorded. The rest of the object is kept up to date.
//  4. A Node that was deleted and created again under the same name gets a new object, unless its
//     daemon has made it the owner of the old object before the controller saw either.
//  5. The object of a Node that was deleted is left to the garbage collector. Only an object that has
//     neither a Node nor a Node as its owner is deleted.
//  6. An object that is up to date is not written, even after a restart. A write is computed from a
//     Node that was read after the object, and has the object's resource version as its
//     precondition: it never undoes a later write of the daemon.
//  7. A failure is logged as an error when it starts, again when its text changes, and once when it
//     is over.
//
// # Who writes which field
//
// Rollout writes metadata.ownerReferences to Nodes, and spec, by a merge patch of these fields. So does
// the daemon, by the same function, [DesiredMachineConfigNode]: the second writer has nothing to change.
// Only the daemon writes status. No other field is changed.
//
// The pool is the one value that a daemon cannot read from its Node. If this controller runs,
// leave upgrademonitor.Config.Pool unset, or derive it by pool.Primary: different results would be
// written in turn.
//
// scope/manifests/operator.yaml has the RBAC objects that it needs.
package rollout
