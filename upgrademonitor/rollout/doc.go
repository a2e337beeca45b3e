// Package rollout keeps one MachineConfigNode (MCN) for each Node: the operator's half of
// what package upgrademonitor is the daemon's half of.
//
//	Nodes ──────────────┐                        owner, spec
//	MachineConfigPools ─┼─► informers ─► queue ─► create ────► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The embedding process starts the factories of the informers after [New]; leader election is up to it,
// too.
//
// What is guaranteed:
//
//  1. A Node that is neither Pending nor Provisioning has an object. A Windows node has none; one
//     that another process created for it is deleted once. On a cluster without pools nothing is
//     written or deleted.
//  2. The object's owner is the Node, its pool is the node's primary pool (pool.Primary),
//     its desired config and image are those of the node's annotations, and are updated at once.
//     NotYetSet is a value that is not known. A node that no pool selects any more keeps the pool
//     that it had.
//  3. If conflicting pools select a node, its pool is kept, and a warning event of the Node is
//     recorded. The rest of the object is kept up to date.
//  4. A Node that was deleted and created again under the same name gets a new object, unless its
//     daemon has made it the owner of the old one before the controller saw either.
//  5. The object of a Node that was deleted is deleted after Config.OrphanGrace, if no garbage
//     collector has deleted it by then.
//  6. What is up to date is not written, even after a restart. A write is computed from a Node
//     that was read after the object, and has the object's resource version as its
//     precondition: it never undoes what the daemon knows already. An object that exists, but
//     not in the cache yet, is a conflict.
//  7. The status is never written.
//  8. While the CRD has no configImage, the API server drops the images, and warns of it.
//  9. A failure is logged as an error when it begins, again when its cause changes, and once when
//     it is over.
//
// # Who writes which field
//
// A new object is created, an existing one is changed by a merge patch of its owners and its spec.
// Both sides derive the spec from the Node by the same function,
// [DesiredMachineConfigNode], so that the second of them has nothing to do. Whoever
// wrote a field before makes no difference.
//
//	field                                          written by
//	metadata.ownerReferences to Nodes, spec        rollout, and the daemon's spec call where it differs
//	status                                         the daemon
//	everything else                                any other process: it is not changed
//
// The pool is the one value that a daemon cannot read from its Node. Where this controller runs,
// leave upgrademonitor.Config.Pool unset, or derive it by pool.Primary: different results would be
// written in turn.
//
// scope/manifests/operator.yaml has the RBAC objects that it needs.
package rollout
