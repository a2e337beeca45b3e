// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node makes a [Monitor] and tells it at each step of an update which
// phase has which status. The node's object shows it as conditions that go
// False → Unknown → True → False:
//
//	m, err := upgrademonitor.New(upgrademonitor.Config{
//		Client:   clientset,
//		NodeName: nodeName,
//		Node:     func() (*corev1.Node, error) { return nodeLister.Get(nodeName) },
//	})
//	…
//	err = m.GenerateAndApplyMachineConfigNode(ctx, phases.Drained, "UpdateExecutedDrained",
//		"Draining node", metav1.ConditionUnknown)
//
// A report passes three stations:
//
//	report ──► accept ──► plan ──► write ──► MachineConfigNode
//	           checks     pure:    server-side apply, through
//	           and queues package  package scope
//	                      conditions
//
// What is guaranteed:
//
//  1. Nobody who watches the object sees a jump: a step that the state machine has and the
//     caller leaves out is published too. What the state machine refuses is an error and
//     never a write.
//  2. What was accepted is written in the order of acceptance, by the call itself, by the
//     next call, by [Monitor.Run] or by [Monitor.Flush]. Until then the call's error is an
//     [ErrPending]. What the API server rejects for good, as invalid or too large, and what
//     turns out to be refused when the object is read, is dropped with an error: the call's
//     own, or a log line where the call has returned.
//  3. Memory is bounded. From 64 queued entries on, repeats that make no difference are left
//     out: a watcher misses no step that was done. At 256 that nobody waits for, the next
//     report is an [ErrTooMuchPending], and is not accepted.
//  4. No update is lost: a write carries the resource version that it was computed from.
//     Where another process wrote first, the object is read, and the write computed anew.
//  5. A call returns within [Config].Timeout, whatever the API server does.
//  6. A report of what is there makes no request, and a write needs no read before it: it
//     is computed from what the last write returned.
//  7. Conditions, image sets and fields of others are neither claimed nor dropped.
//  8. No request is made for any other object than the node's own.
//
// What is not guaranteed:
//
//   - What is pending lives in memory: a process that ends before Flush forgets it. Its
//     successor goes on from what the object shows.
//   - A message, or the value of a singleton, that is replaced while much is pending need not
//     be seen.
//   - A report that was made within an update and is written after its end changes what its
//     condition says, and moves nothing: it cannot begin another update.
//   - Config's functions are the caller's: a Node function that blocks blocks the call.
package upgrademonitor
