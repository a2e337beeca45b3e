package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// Option configures a report. A nil Option is ignored.
type Option func(*options)

type options struct {
	completesParent bool
	reason          string
	doneMessage     string
}

// CompletesParent sets the parent of the phase to True in the same write as the phase. If another
// child of the parent is still Unknown, the parent stays Unknown. So pass the option for each child
// that may complete last. The option is valid only for a Child phase with status True. With Track, it
// applies to the report of True. With NotRequired, the parent becomes True even if no child has run.
func CompletesParent() Option {
	return func(o *options) { o.completesParent = true }
}

// Reason sets the reason of the condition that Report, NotRequired or Track writes. The default is the
// name of the parent followed by the name of the phase, for example UpdateExecutedDrained.
func Reason(reason string) Option {
	return func(o *options) { o.reason = reason }
}

// DoneMessage sets the message with which Track reports True. The default is the argument message of
// Track. Other calls ignore the option.
func DoneMessage(message string) Option {
	return func(o *options) { o.doneMessage = message }
}

func newOptions(opts []Option) (o options) {
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}

// GenerateAndApplyMachineConfigNode reports the status of a phase, with a reason (a CamelCase word)
// and a message. If the MachineConfigNode is missing, it is created. If the status changes,
// lastTransitionTime becomes the time of the call, in whole seconds.
//
//  1. If the report skips a status, for example Unknown between False and True, another write shows
//     the skipped status first. The report may also change the parent of the phase, or start or end
//     an update: see docs/phases.md.
//  2. The call waits until the report is written, until an attempt to write fails, for
//     Config.Timeout, or until ctx ends. Until the ctx of New ends, the call does not wait if the last
//     attempt has failed.
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
	case err == nil, errors.Is(err, ErrPending):
	case errors.Is(err, ErrNoUpdate) && !m.logged.Changed(noUpdateFailure, ErrNoUpdate.Error()):
	default:
		klog.FromContext(ctx).Error(err, "Failed to report", "node", m.config.NodeName, "change", change.String())
	}
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
