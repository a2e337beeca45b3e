// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node creates one [Monitor], and makes one call at each step of an update. The
// node's object shows the step as a condition that changes False → Unknown → True → False:
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
// After the reboot, the next process continues from the object. Updated=True ends the update.
//
// Guarantees:
//
//  1. A client that watches the object sees every transition, even if the caller skips a status. A
//     transition that the state machine does not allow is an error, and is not written.
//  2. Accepted reports are written in order, and retried with backoff until they are written. A
//     report that the API server rejects permanently is dropped and logged.
//  3. Calls return within [Config].Timeout, whatever the API server does. During an outage, all
//     calls share one Timeout: once they have waited that long in total, each call returns at once.
//  4. No write of another client is lost: a write carries the resourceVersion of the object that it
//     was computed from, and is computed again after a conflict.
//  5. A repeated report sends no request. Without a Lister, it reads the object if the last
//     response is 5 minutes old.
//  6. The versions in the status follow the Node, also between reports. A deleted object is created
//     again, at once if there is a Lister, and the next reports fill its status.
//  7. The Monitor makes requests only for the MachineConfigNode of its node.
//  8. A failure is logged when it starts, again when its kind changes, and when it is over.
//
// Pending reports, at most 256, are only in memory: a process that ends before Flush loses them.
//
// Package upgrademonitortest has a fake clientset for tests of a daemon.
package upgrademonitor
