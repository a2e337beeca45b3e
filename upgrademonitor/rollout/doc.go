// Package rollout keeps one MachineConfigNode (MCN) for each Node. It is for the operator.
//
//	Nodes ──────────────┐                        owner, spec
//	MachineConfigPools ─┼─► informers ─► queue ─► create ────► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The embedding process starts the factories of the informers after [New], and elects a leader.
//
//  1. A Node that is neither Pending nor Provisioning has an object. A Windows node has no object.
//     On a cluster without pools nothing is written or deleted.
//  2. The object's owner is the Node. Its pool is the node's primary pool (pool.Primary). Its
//     desired config and image come from the node's annotations; a missing config is "not-yet-set".
//     If no pool selects the node, an existing object keeps its pool.
//  3. If conflicting pools select a node, the object keeps its pool, and a warning event for the
//     Node is recorded. The other fields are kept up to date.
//  4. If a Node was deleted and created again with the same name, it gets a new object. It keeps
//     the old object if its daemon has already made the new Node the owner of that object.
//  5. The garbage collector deletes the object of a Node that was deleted. The controller deletes
//     only objects that have neither a Node nor an owner that is a Node.
//  6. An object that is up to date is not written, even after a restart. A write is computed from a
//     Node that was read after the object, and its precondition is the resource version of the
//     object: it never reverts a later write of the daemon.
//  7. A failure is logged when it starts, again when its message changes, and when it is over.
//
// # Who writes which field
//
// Rollout writes spec, and metadata.ownerReferences to Nodes, with a merge patch of these fields.
// The daemon writes the same fields, computed by the same function, [DesiredMachineConfigNode]: the
// second writer has nothing to change. Only the daemon writes status. No other field is changed.
//
// Only the pool cannot be read from the Node. If this controller runs, leave
// upgrademonitor.Config.Pool unset, or compute it with pool.Primary: if the results differ, the
// daemon and the controller overwrite each other.
//
// scope/manifests/operator.yaml has the RBAC objects that the controller needs.
package rollout
