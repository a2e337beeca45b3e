// Package rollout is for the operator. It maintains one MachineConfigNode (MCN) for each Node.
//
//	Nodes ──────────────┐
//	MachineConfigPools ─┼─► informers ─► queue ─► sync ─► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The embedding process starts the informer factories after [New], and elects a leader.
//
//  1. Each Node has an MCN, except Windows nodes and Nodes in the phase Pending or Provisioning. On
//     a cluster without MachineConfigPools, nothing is written or deleted.
//  2. The owner of the MCN is the Node. The spec has the node's primary pool (see pool.Primary),
//     and the desired config and image from the Node's annotations. If the pool or the desired
//     config is unknown, that field of an existing MCN stays unchanged, and a new MCN has
//     "not-yet-set".
//  3. If conflicting pools select a node, the MCN keeps its pool, and a warning event for the Node
//     is recorded. The other fields of the MCN are kept up to date.
//  4. If a Node is deleted and created again with the same name, its MCN is deleted and created
//     again, too. But if the daemon has already made the new Node the owner, the MCN stays.
//  5. The garbage collector deletes the MCN of a deleted Node. The controller deletes an MCN that
//     has neither a Node nor an owner that is a Node.
//  6. An MCN that is up to date is not written. A write never reverts a newer write of the daemon,
//     because the Node is read after the MCN, and the write fails if the MCN has changed.
//  7. A failure is logged when it starts, when its message changes, and when it is over.
//
// # Who writes which field
//
// The controller writes the spec, and the owner references to Nodes, with a merge patch. The
// controller changes no other field. The daemon writes the status, and also the fields that the
// controller writes. Both compute these fields by the same rules: see [DesiredMachineConfigNode].
// So after one of them has written the fields, the other finds nothing to change.
//
// Of these fields, only the pool does not come from the Node. If this controller runs,
// upgrademonitor.Config.Pool of the daemon must be nil, or must call pool.Primary. Otherwise the
// daemon may compute another pool, and the daemon and the controller overwrite each other's pool.
//
// scope/manifests/operator.yaml has the RBAC objects that the controller needs.
package rollout
