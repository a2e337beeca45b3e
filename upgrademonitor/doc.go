// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node creates one [Monitor], and makes one call at each step of an update. The MCN
// has a condition for each step. Each condition is False before its step, Unknown while the step
// runs or after a failure, True after the step, and False again after the update. For example:
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
//	flushCtx, cancel := context.WithTimeout(ctx, 10*time.Second) // an outage of the API server must not prevent the reboot
//	defer cancel()
//	err = monitor.Flush(flushCtx)
//
// After the reboot, a new Monitor reads the MCN and continues. Updated=True ends the update.
//
// Guarantees:
//
//  1. A client that watches the MCN sees every transition. If the caller skips a status, the
//     Monitor writes the skipped status first. An invalid transition is rejected.
//  2. Accepted reports are written in order, and retried with backoff until they are written. A
//     report that the API server rejects permanently is dropped and logged.
//  3. A call waits until its report is written, until an attempt to write fails, or for
//     [Config].Timeout. While the last attempt has failed, which is called an outage, calls do not
//     wait at all. An outage ends with the next written status.
//  4. No write of another client is lost. The precondition of each write is the resourceVersion of
//     the MCN from which the write was computed. After a conflict, the write is computed again.
//  5. A repeated report sends no request. But if there is no Lister, or the Lister is behind, and
//     the last response of the API server is more than 5 minutes old, the report reads the MCN. A
//     report is rejected for an invalid transition only after a read.
//  6. The status follows the config and image annotations of the Node, even between reports. A
//     deleted MCN is created again: within 10 seconds with a Lister, otherwise by the next write.
//  7. The Monitor makes requests only for the MachineConfigNode of its node. The Monitors of a
//     controller (see [Monitors]) write only conditions.
//  8. A failure is logged when it starts, when its kind changes, and when it is over.
//
// Pending reports (at most 256) are only in memory. A process that exits before Flush loses them.
//
// Package upgrademonitortest has a fake clientset for tests of a daemon.
package upgrademonitor
