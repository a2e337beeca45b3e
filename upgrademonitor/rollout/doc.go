// Package rollout is for the operator. It keeps one MachineConfigNode (MCN) for each Node.
//
//	Nodes ──────────────┐
//	MachineConfigPools ─┼─► informers ─► queue ─► sync ─► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The embedding process starts the informer factories after [New], and elects a leader.
//
//  1. Each Node has an MCN, except a Windows node, and a Node that is Pending or Provisioning. On a
//     cluster without MachineConfigPools, nothing is written or deleted.
//  2. The owner of the MCN is the Node. The spec has the node's primary pool (see pool.Primary),
//     and the desired config and image from the Node's annotations. If the pool or the desired
//     config is unknown, an existing MCN keeps its value, and a new MCN has "not-yet-set".
//  3. If conflicting pools select a node, the MCN keeps its pool, and a warning event for the Node
//     is recorded. The other fields are kept up to date.
//  4. If a Node is deleted and created again with the same name, its MCN is deleted and created
//     again, too. But if the daemon has already made the new Node the owner, the MCN stays.
//  5. The garbage collector deletes the MCN of a deleted Node. The controller deletes an MCN that
//     has neither a Node nor an owner that is a Node.
//  6. An MCN that is up to date is not written. A write never reverts a later write of the daemon,
//     because the Node is read after the MCN, and the write fails if the MCN has changed.
//  7. A failure is logged when it starts, when its message changes, and when it is over.
//
// # Who writes which field
//
// The controller writes the spec, and the owner references to Nodes, with a merge patch. It changes
// no other field. The daemon writes the status, and the same fields as the controller. The daemon
// and the controller compute these fields by the same rules: see [DesiredMachineConfigNode]. So
// after one of them has written the fields, the other finds nothing to change.
//
// The pool is the only value that is not in the Node. If this controller runs, the daemon must
// leave upgrademonitor.Config.Pool unset, or call pool.Primary in it. Otherwise the daemon may
// compute another pool, and the daemon and the controller overwrite each other's pool.
//
// scope/manifests/operator.yaml has the RBAC objects that the controller needs.
package rollout
