// Package upgrademonitor reports the updates of a node on its MachineConfigNode (MCN).
//
// The daemon of a node creates one [Monitor], and reports each step of an update with one call. The MCN
// has a condition for each step. The condition is False before its step, Unknown while the step runs
// or after it has failed, True after the step has succeeded, and False again after the update. A
// condition type is called a phase. Package phases lists all phases, and the kind of each: Parent,
// Child or Singleton. For example:
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
//	// The timeout makes sure that an unreachable API server does not prevent the reboot.
//	flushCtx, cancel := context.WithTimeout(ctx, 10*time.Second)
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
//     report that can no longer be written, for example because the API server rejects it permanently,
//     is dropped and logged.
//  3. A call waits until its report is written, until an attempt to write fails, or for
//     [Config].Timeout. During an outage, it does not wait. An outage lasts from a failed attempt, or a
//     request without a response within Timeout, until a status is written, a report is rejected for
//     good, or nothing is left to write. After the ctx of New has ended, the Monitor retries only while
//     a call waits, so each call waits for its own attempt.
//  4. No write of another client is lost. Each write has the resourceVersion of the MCN from which
//     it was computed. After a conflict, the write is computed again from the latest MCN.
//  5. A report that repeats the last report of its phase makes no request, if the Node has not changed
//     since the last request of the Monitor. Otherwise, before it rejects an invalid transition, and
//     while the Lister does not have the MCN, the Monitor reads the MCN.
//  6. The status shows the configs and images in the annotations of the Node, even if they change
//     between reports. A deleted MCN is created again within 10 seconds if the Lister has shown it,
//     otherwise by the next report or Flush. Without a Lister, a repeat or an idle Flush does not notice.
//  7. A Monitor makes requests only for the MCN of its node. The Monitors of a controller (see
//     [Monitors]) write only conditions, and start no update.
//  8. A failure is logged when it starts, when its kind changes, and when it is over.
//
// An accepted report is pending until it is written. The pending reports, at most 256, are only in
// memory. A process that exits before Flush loses them.
//
// Package upgrademonitortest has a fake clientset for tests of a daemon.
package upgrademonitor
