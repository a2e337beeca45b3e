// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node makes a [Monitor] and reports at each step of an update which
// phase has which status. The node's object has it as conditions that cycle
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
// The Monitor is a thread-safe shell around packages that know nothing of threads:
//
//	accept.go ──► store.go ──► internal/pending ──► internal/plan ──► conditions ──► phases
//	drain.go  ──► internal/writer ──► scope ──► API server
//
// accept.go accepts reports, drain.go and write.go take them to the API server, one goroutine at a
// time. What these goroutines share is in the store, one step at a time: store.go has what is
// pending, known.go and base.go what is known of the object, decide.go what follows from both.
//
// What is guaranteed:
//
//  1. A watcher of the object sees each transition: a step that the state machine has and the
//     caller leaves out is published too. What the state machine refuses is an error and
//     never a write.
//  2. What was accepted is written in the order of acceptance, by the call itself, by the
//     next call, by [Monitor.Run] or by [Monitor.Flush]. Until then the call's error is an
//     [ErrPending]. What the API server rejects for good, as invalid or, with all texts
//     shortened, as too large, and what turns out to be refused when the object is read, is
//     dropped with an error: the call's own, or a log line where the call has returned. What
//     concerns the spec never blocks the status.
//  3. Memory is bounded. From 64 queued entries on, repeats are left out: a watcher misses no
//     status and no version, nor when each was first and last there. At 256 whose callers have
//     returned, a report that cannot be written at once is an [ErrQueueFull], and is not accepted.
//  4. No update is lost: a write carries the resource version that it was computed from.
//     Where another process wrote first, the object is read, and the write computed again.
//  5. A call returns within [Config].Timeout, whatever the API server does.
//  6. A report of what is there makes no request, and a write needs no read before it: it
//     is computed from what the last write led to. Without a Lister, such a report is checked by
//     one read each [Config].CheckInterval.
//  7. Conditions, image sets and fields of other managers are neither claimed nor dropped.
//  8. No request is made for any other object than the node's own.
//  9. An object that was deleted is created again, with the status that was known of it: by the
//     next call, or by Run where there is a Lister.
//  10. A failure is logged once as an error with its cause, again when the cause changes, and once
//     when it is over.
//
// What is not guaranteed:
//
//   - What is pending lives in memory: a process that ends before Flush forgets it. Its
//     successor continues from the object.
//   - A message that is replaced while much is pending need not be seen.
//   - A report that waited while its update ended changes the reason and message of its
//     condition, and no status: it cannot begin another update.
//   - Config's functions are the caller's: a Node function that blocks blocks the call.
package upgrademonitor
