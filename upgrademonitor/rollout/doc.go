// Package rollout is for the operator. Its [Controller] keeps one MachineConfigNode (MCN) for each
// Node: it creates the MCN, keeps its owner and spec up to date, and deletes it in the cases below.
//
//	Nodes ──────────────┐
//	MachineConfigPools ─┼─► informers ─► queue ─► sync ─► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The embedding process starts the informer factories after [New], and elects a leader.
//
//  1. Each Node has an MCN, except Windows nodes and Nodes in the phase Pending or Provisioning. On
//     a cluster without MachineConfigPools, nothing is written or deleted.
//  2. The owner of an MCN is the Node. The spec has the pool that pool.Primary returns, and the
//     desired config and image from the annotations of the Node: see [DesiredMachineConfigNode].
//  3. If a Node is deleted, the garbage collector deletes its MCN. If an MCN belongs to an earlier
//     Node of the same name, or has neither a Node nor an owner that is a Node, the controller
//     deletes it.
//  4. A write never reverts a newer write of the daemon. An MCN that is up to date is not written.
//  5. A failure is logged when it starts, when its cause changes, and when it is over. Failing of
//     [Controller] says how many nodes fail, since when, and why.
//
// The controller changes only the spec and the owner references to Nodes. The daemon writes the
// status, and also the spec and the owner. Therefore upgrademonitor.Config.Pool of the daemon must
// be nil, or must call pool.Primary. Otherwise the daemon and the controller overwrite each other's
// pool. docs/operator.md has the details.
//
// scope/manifests/operator.yaml has the RBAC objects that the controller needs.
package rollout
