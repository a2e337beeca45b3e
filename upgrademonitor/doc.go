// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node makes a [Monitor] for the life of its process, and one call at each step of an
// update. The node's object shows the step as a condition that changes False → Unknown → True → False:
//
//	monitor, err := upgrademonitor.New(upgrademonitor.Config{
//		Client:   clientset, // of openshift/client-go
//		NodeName: nodeName,
//		Node:     func() (*corev1.Node, error) { return nodeLister.Get(nodeName) },
//	})
//	…
//	go monitor.Run(ctx) // writes what could not be written at once
//
//	monitor.Report(ctx, phases.Updated, "Node needs an update", metav1.ConditionFalse) // an update begins
//	…
//	err = monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", apply, upgrademonitor.CompletesParent())
//	…
//	monitor.Report(ctx, phases.RebootedNode, "Update requires a reboot", metav1.ConditionUnknown)
//	flushCtx, cancel := context.WithTimeout(ctx, 10*time.Second) // an API server that is down must not prevent the reboot
//	defer cancel()
//	err = monitor.Flush(flushCtx)
//
// The next process continues from the object; Updated=True ends the update.
//
// What is guaranteed:
//
//  1. Someone who watches the object sees every transition: a step that the state machine has and
//     the caller leaves out is published too. What the state machine does not allow is an error,
//     and never a write.
//  2. A report that was accepted is written, in the order of acceptance: by the call itself, by the
//     next call, by [Monitor.Run] or by [Monitor.Flush]. What the API server rejects for good is
//     dropped and logged. An error of a call means that its report was not accepted.
//  3. A report and a spec call return within [Config].Timeout, whatever the API server does, and at
//     once in an outage while Run is running. [Monitor.Flush] returns when its ctx ends, and
//     [Monitor.Track] takes as long as its work, in addition to its reports.
//  4. Nothing that others write is lost: a write carries the resourceVersion that it was computed
//     from, and is computed again from what others have written first.
//  5. Repeating a report sends no request. See [Config].Lister for what that means beside other
//     writers.
//  6. An object that was deleted is created again, with the status that was known of it.
//  7. No request is made for any other object than the node's own.
//  8. A failure is logged once with its cause when it begins, again when its kind changes, and
//     once when it is over.
//
// What is not guaranteed:
//
//   - What is pending lives in memory: a process that ends before Flush forgets it. Its successor
//     continues from the object.
//   - While the API server cannot be reached, at most 256 reports are kept; then a report that
//     cannot be written at once returns [ErrQueueFull].
//   - The functions of Config are the caller's: a Node function that blocks blocks the call.
//
// Package upgrademonitortest has a fake clientset for the tests of a daemon.
package upgrademonitor
