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
//  1. A client that watches the object sees every transition, also a step that the caller leaves out.
//     A transition that the state machine does not allow is an error, and never a write.
//  2. Accepted reports are written in order, and retried with backoff until they are. A report that
//     the API server rejects for good is dropped and logged.
//  3. Calls return within [Config].Timeout, whatever the API server does. During an outage all calls
//     together wait for one Timeout; after that they return at once.
//  4. No write of another client is lost: a write carries the resourceVersion that it was computed
//     from, and is computed again after a conflict.
//  5. A repeated report sends no request.
//  6. The versions in the status follow the Node, also between reports. An object that was deleted is
//     created again; the reports that follow fill its status.
//  7. No request is made for any other object than the node's own.
//  8. A failure is logged once with its cause when it starts, again when its kind changes, and once
//     when it is over.
//
// Pending reports live in memory: a process that ends before Flush forgets them, and the next process
// continues from the object. At most 256 reports are kept whose callers have returned.
//
// Package upgrademonitortest has a fake clientset for the tests of a daemon.
package upgrademonitor
