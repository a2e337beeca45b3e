// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node creates a [Monitor] for the life of its process, and makes one call at each
// step of an update. The node's object shows the step as a condition that changes False → Unknown →
// True → False:
//
//	monitor, err := upgrademonitor.New(ctx, upgrademonitor.Config{
//		Client:   clientset, // of openshift/client-go
//		NodeName: nodeName,
//		Node:     func() (*corev1.Node, error) { return nodeLister.Get(nodeName) },
//	})
//	…
//	monitor.Report(ctx, phases.Updated, "Node needs an update", metav1.ConditionFalse) // an update starts
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
// Guarantees:
//
//  1. A client that watches the object sees every transition: a step that the caller leaves out is
//     published, too. A transition that the state machine does not allow is an error, and never a
//     write.
//  2. A report that was accepted is written, in the order of acceptance. Reports that could not be
//     written are retried with backoff. A report that the API server rejects for good is dropped and
//     logged. An error of a call means that its report was not accepted.
//  3. A report and a spec call return within [Config].Timeout, whatever the API server does. During an
//     outage all calls together wait for one Timeout; after that they return at once.
//     [Monitor.Flush] returns when its ctx ends, and [Monitor.Track] takes as long as its work, in
//     addition to its reports.
//  4. No write of another client is lost: a write carries the resourceVersion that it was computed
//     from, and is computed again after a conflict.
//  5. A repeated report sends no request. See [Config].Lister for what that means if other processes
//     write the same object.
//  6. The versions in the status follow the Node, also between reports. An object that was deleted is
//     created again; the reports that follow fill its status.
//  7. No request is made for any other object than the node's own.
//  8. A failure is logged once with its cause when it starts, again when its kind changes, and once
//     when it is over.
//
// Limits:
//
//   - Pending reports live in memory: a process that ends before Flush forgets them. Its successor
//     continues from the object.
//   - While the API server cannot be reached, at most 256 reports are kept whose callers have
//     returned; then a report returns [ErrQueueFull].
//   - The functions of Config are the caller's: a Node function that blocks blocks the call.
//
// Package upgrademonitortest has a fake clientset for the tests of a daemon.
package upgrademonitor
