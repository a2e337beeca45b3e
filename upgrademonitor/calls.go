package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// GenerateAndApplyMachineConfigNode reports the status of a phase, with a reason (a CamelCase word)
// and a message. If the MachineConfigNode is missing, it is created. If the status changes,
// lastTransitionTime becomes the time of the call, in whole seconds.
//
//  1. If the report skips a status, for example Unknown between False and True, another write shows
//     the skipped status first. The report may also change the parent of the phase, or start or end
//     an update: see docs/phases.md.
//  2. Guarantee 3 of the package says how long the call waits. It also returns when ctx ends.
//  3. The call returns nil if the MachineConfigNode shows the report. If the report is accepted but
//     not written yet, the error wraps ErrPending and the cause. The Monitor retries the report.
//  4. Any other error means that the report was not accepted, or that the API server rejected it.
//     The error is a *ReportError, the error of Config.Node, or the error of ctx if ctx had already
//     ended.
func (m *Monitor) GenerateAndApplyMachineConfigNode(
	ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...Option,
) error {
	if m == nil {
		return nil
	}
	o := newOptions(opts)
	o.reason = reason
	return m.submitReport(ctx, newChange(phase, message, status), o)
}

// GenerateAndApplyMachineConfigNodeSpec makes the spec (pool, desired config and desired image) and
// the owner reference of the MachineConfigNode match the Node. If the MachineConfigNode is missing, it
// is created. If the known MachineConfigNode does not differ, no request is made.
//
//  1. If the Node has no desired config, the spec keeps its desired config. If the pool of the Node is
//     not known, the spec keeps its pool. In image mode, if the Node has a config but no desired
//     image, the desired image in the spec is cleared.
//  2. The call waits like GenerateAndApplyMachineConfigNode, behind the reports that are pending. If the
//     write fails, the error wraps ErrPending and the cause, and the write is retried.
//  3. In a controller (see Monitors), nothing is written, and the error is a *field.Error.
func (m *Monitor) GenerateAndApplyMachineConfigNodeSpec(ctx context.Context) error {
	switch {
	case m == nil:
		return nil
	case m.isController():
		return errController
	}
	return m.submit(ctx, planner.Change{WritesSpec: true})
}

// Report is like GenerateAndApplyMachineConfigNode, but it logs errors, and returns none. If a report
// is not accepted or is rejected, the logger of ctx gets the error. If an attempt to write a report has
// failed, the logger of the Monitor gets the cause. Report ignores a phase that does not exist in the mode
// of the node (standard mode or image mode). The option Reason sets the reason.
//
// If a step has failed and will be retried, report Unknown with a message that begins with "Error: ",
// as Track does. Then readers such as kubectl mcn show the failure.
func (m *Monitor) Report(
	ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus, opts ...Option,
) {
	m.report(ctx, newChange(phase, message, status), newOptions(opts))
}

// NotRequired reports that an update does not need a phase, or no longer needs it. If the phase has not
// started in this update, it becomes False. Otherwise it becomes True, so that its parent can become
// True although the step has failed. NotRequired is only for Parent and Child phases. Options and
// errors are as in Report.
func (m *Monitor) NotRequired(ctx context.Context, phase phases.Phase, message string, opts ...Option) {
	change := newChange(phase, message, metav1.ConditionTrue)
	change.NotRequired = true
	m.report(ctx, change, newOptions(opts))
}

// ReportDegraded sets NodeDegraded to True, with the cause of a failed update in its message. If cause
// is nil, ReportDegraded sets NodeDegraded to False, or changes no condition if neither an update nor a
// failure was ever reported. The end of an update also sets NodeDegraded to False. Errors are logged, as
// in Report.
func (m *Monitor) ReportDegraded(ctx context.Context, cause error) {
	if m == nil {
		return
	}
	status := metav1.ConditionFalse
	message := fmt.Sprintf("Node %s upgrade succeeded", m.config.NodeName)
	if cause != nil {
		status = metav1.ConditionTrue
		message = fmt.Sprintf("Node %s upgrade failure. %v", m.config.NodeName, cause)
	}
	change := newChange(phases.NodeDegraded, message, status)
	change.SkipIfNeverUpdated = cause == nil
	m.report(ctx, change, options{})
}

// Track runs work as a phase of the update: it reports Unknown, runs work, and reports True. If
// work fails, Track reports Unknown with the message "Error: <message>: <error>". If the phase is
// already Unknown, Track omits the first report, so that the last error stays visible during a retry.
//
// Track returns the error of work, and logs the errors of reports. The result of work is reported
// even if ctx has ended. If the phase does not exist in the mode of the node, Track only runs work.
// CompletesParent and DoneMessage apply to the report of True. Other options apply to all reports.
func (m *Monitor) Track(
	ctx context.Context, phase phases.Phase, message string, work func(context.Context) error, opts ...Option,
) error {
	if work == nil {
		return errors.New("upgrademonitor: Track: work is nil: pass the function that does the work of the phase")
	}
	done := newOptions(opts)
	running := done
	running.completesParent = false
	start := newChange(phase, message, metav1.ConditionUnknown)
	start.SkipIfRunning = true
	m.report(ctx, start, running)
	err := work(ctx)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		m.report(ctx, newChange(phase, fmt.Sprintf("Error: %s: %v", message, err), metav1.ConditionUnknown), running)
		return err
	}
	m.report(ctx, newChange(phase, cmp.Or(done.doneMessage, message), metav1.ConditionTrue), done)
	return nil
}

// ReportPinnedImageSets reports all pinned image sets of the node: it sets the list
// status.pinnedImageSets, and the conditions PinnedImageSetsProgressing and PinnedImageSetsDegraded, in
// one write. The argument failure is an error that does not belong to a single set, or nil.
//
//  1. A set that is not in the argument sets is removed from the list.
//  2. The currentGeneration of a set changes only when the set is done.
//  3. Each set that is not done and has no error of its own gets failure as its error. If there is no
//     such set, the message of PinnedImageSetsDegraded contains failure.
//  4. If a set has failed, its last error stays in the list, and PinnedImageSetsDegraded stays True,
//     until the set is done or removed. PinnedImageSetsProgressing stays True until all sets are done
//     and failure is nil.
//  5. If a set was deleted and created again, its generation has decreased. The CRD rejects a lower
//     generation, so another write first removes the set from the list.
//  6. If a generation is out of range, a name is invalid or repeated, or there are more than 100
//     sets, nothing is written. Errors are logged, as in Report.
func (m *Monitor) ReportPinnedImageSets(ctx context.Context, sets []PinnedImageSet, failure error) {
	if m == nil {
		return
	}
	m.logChange("Failed to prefetch pinned images", failure)
	change := planner.Change{Sets: imageSetsOf(sets, failure)}
	change.Phase = phases.PinnedImageSetsProgressing
	err := validateImageSets(sets)
	if m.isController() {
		err = errController
	}
	if err = m.rejected(change, err); err == nil {
		err = m.submit(ctx, change)
	}
	m.logRejection(ctx, change, err)
}

// Flush waits until all reports that were accepted before the call are written. In a daemon, Flush
// also waits until the status has the configs and images of the Node. Call Flush before a reboot or
// exit, with a deadline, so that an unreachable API server does not prevent the reboot.
//
//  1. Flush calls Config.Node, and tries to write at once. If a request has no response within
//     Config.Timeout, Flush cancels it, because the response may be lost, and tries again. This second
//     attempt is not canceled, because the API server may be slow.
//  2. If writes fail, Flush waits until a retry succeeds or ctx ends. If ctx ends, the error wraps
//     ErrPending, the cause and the error of ctx.
//  3. If all reports are written, but Config.Node fails, the error wraps ErrPending and the cause. In a
//     controller (see Monitors), Flush ignores a failure of Config.Node.
//  4. If the API server rejects a report permanently, the report is dropped, and Flush returns an error
//     that does not wrap ErrPending.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	nodeErr := m.look()
	m.mu.Lock()
	defer m.unlock()
	switch {
	case m.isController():
		nodeErr = nil
	case nodeErr == nil:
		m.core.SubmitNode(m.view.node, m.now())
	}
	entries := m.core.Entries()
	if ctx.Err() == nil {
		m.flushLocked(ctx, entries)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsSettled {
			cause := cmp.Or(m.outage, errWaiting)
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cause, ctx.Err())
		}
		if e.Err != nil {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, e.Err))
		}
	}
	if nodeErr != nil {
		errs = append(errs, fmt.Errorf("MachineConfigNode %s: flush: %w: %w", m.config.NodeName, ErrPending, nodeErr))
	}
	return errors.Join(errs...)
}

// Pending returns the number of reports that are accepted but not written yet, and the time at which
// the oldest of them was accepted. If no report is pending, it returns 0 and the zero time. An unwritten
// change of the Node's annotations counts as one report. Pending makes no request.
func (m *Monitor) Pending() (n int, since time.Time) {
	if m == nil {
		return 0, time.Time{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	entries := m.core.Entries()
	if len(entries) > 0 {
		since = entries[0].Change.Time.Time
	}
	return len(entries), since
}

func newChange(phase phases.Phase, message string, status metav1.ConditionStatus) planner.Change {
	return planner.Change{Report: transitions.Report{Phase: phase, Status: status, Message: message}}
}

// report submits a report, and logs the error. It ignores a phase that does not exist in the mode
// of the node.
func (m *Monitor) report(ctx context.Context, change planner.Change, o options) {
	if m == nil {
		return
	}
	parent, _ := phases.ParentOf(change.Phase)
	o.reason = cmp.Or(o.reason, string(parent)+string(change.Phase))
	change.SkipOtherMode = true
	m.logRejection(ctx, change, m.submitReport(ctx, change, o))
}

// logRejection logs an error, unless it wraps ErrPending: the Monitor logs why an attempt has failed. It
// logs ErrNoUpdate once, until a report is accepted, because a controller may repeat its report often.
func (m *Monitor) logRejection(ctx context.Context, change planner.Change, err error) {
	switch {
	case err == nil, errors.Is(err, ErrPending), !m.isNews(err):
	default:
		klog.FromContext(ctx).Error(err, "Failed to report", "node", m.config.NodeName, "change", change.String())
	}
}

// isNews reports whether a rejection is not ErrNoUpdate, or the first ErrNoUpdate since a report was accepted.
func (m *Monitor) isNews(rejection error) bool {
	return !errors.Is(rejection, ErrNoUpdate) || m.logged.Changed(noUpdateFailure, ErrNoUpdate.Error())
}

// submitReport adds the options to a report, and submits the report if it is valid.
func (m *Monitor) submitReport(ctx context.Context, change planner.Change, o options) error {
	change.Reason = o.reason
	change.CompletesParent = o.completesParent
	if err := change.Validate(); err != nil {
		return m.rejected(change, err)
	}
	return m.submit(ctx, change)
}
