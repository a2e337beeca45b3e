package upgrademonitor

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

var reasonPath = field.NewPath("reason")

// GenerateAndApplyMachineConfigNode reports that a phase of the update has a status, with a reason
// (a CamelCase word) and a message for people. The object is created if it is missing.
//
//  1. If the state machine has a step between the phase's status and the reported status, the step is
//     published, too, in a write of its own. So are the effects on the parent of the phase and on the
//     update as a whole. See packages phases and conditions.
//  2. It returns when the report is written, when the attempt fails, after Config.Timeout, or when
//     ctx ends. A report that is not written by then is kept and written later, in order, and the
//     call returns nil. During an outage all calls together wait for one Timeout; after that they
//     return at once. A repeat sends no request.
//  3. An error means that the report was not accepted: a *ReportError that wraps the cause, a
//     *NodeError if Config.Node failed, scope.ErrOutOfScope if it returned another node,
//     ErrQueueFull, or the error of a ctx that has ended already.
//
// lastTransitionTime is the time of the call, in whole seconds.
func (m *Monitor) GenerateAndApplyMachineConfigNode(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...Option) error {
	if m == nil {
		return nil
	}
	o := newOptions(opts)
	if o.reason != "" {
		return m.rejected(phase, field.Forbidden(optsPath.Key("Reason"), "pass the reason as the argument"))
	}
	o.reason = reason
	change, v, err := m.newReport(ctx, phase, message, status, o)
	if err != nil {
		return err
	}
	return m.submit(ctx, phase, change, v)
}

// Report is GenerateAndApplyMachineConfigNode in one line per call site: the reason is the
// conventional reason, or that of the option Reason, and an error is logged with the logger of ctx.
// A phase of the other mode does nothing.
func (m *Monitor) Report(ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus, opts ...Option) {
	m.report(ctx, phase, message, status, newOptions(opts), plan.PhaseChange{})
}

// NotRequired reports that a phase is not needed, or no longer needed: False if it has not started in
// this update, True if it has, so that a failed step that is not repeated does not keep its parent
// from completing. It is valid for a Parent or a Child phase. Options and errors are those of Report.
func (m *Monitor) NotRequired(ctx context.Context, phase phases.Phase, message string, opts ...Option) {
	m.report(ctx, phase, message, metav1.ConditionTrue, newOptions(opts), plan.PhaseChange{NotRequired: true})
}

// ReportDegraded reports that the update of the node failed, and why, or, with a nil cause, that it
// did not fail. NodeDegraded stays until the next such report, or until the end of an update, which
// clears it. An error is logged.
func (m *Monitor) ReportDegraded(ctx context.Context, cause error) {
	if m == nil {
		return
	}
	status, message := metav1.ConditionFalse, fmt.Sprintf("Node %s upgrade succeeded", m.config.NodeName)
	if cause != nil {
		status, message = metav1.ConditionTrue, fmt.Sprintf("Node %s upgrade failure. %v", m.config.NodeName, cause)
	}
	m.Report(ctx, phases.NodeDegraded, message, status)
}

// Track runs a piece of work as a phase of the update: it reports Unknown, runs the work, and reports
// True. If the work fails, it reports Unknown with the error in the message. If the phase is Unknown
// already, the first report is left out, so that the last error stays visible during a retry.
//
// It returns the work's own error, and nothing else: an error of reporting is logged, and the work
// runs whether or not its reports succeed. The work gets ctx as it is; a failure because ctx ended is
// reported, too. A phase of the other mode is not reported, but the work runs.
//
// CompletesParent and DoneMessage apply to the True, Reason and ParentMessage to all reports.
func (m *Monitor) Track(ctx context.Context, phase phases.Phase, message string, work func(context.Context) error, opts ...Option) error {
	if work == nil {
		return errors.New("upgrademonitor: Track: the work is nil: pass the function that does the work of the phase")
	}
	done := newOptions(opts)
	doneMessage := message
	if done.doneMessage != "" {
		doneMessage, done.doneMessage = done.doneMessage, ""
	}
	running := done
	running.completesParent = false
	m.report(ctx, phase, message, metav1.ConditionUnknown, running, plan.PhaseChange{SkipIfRunning: true})
	err := work(ctx)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		// Sprint does not panic on an error that is a nil pointer.
		m.report(ctx, phase, fmt.Sprintf("%s: %s", message, fmt.Sprint(err)), metav1.ConditionUnknown, running, plan.PhaseChange{})
		return err
	}
	m.report(ctx, phase, doneMessage, metav1.ConditionTrue, done, plan.PhaseChange{})
	return nil
}

// report reports with the flags of kind, and logs a report that is not accepted.
func (m *Monitor) report(ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus, o options, kind plan.PhaseChange) {
	if m == nil {
		return
	}
	if o.reason == "" {
		parent, _ := phases.ParentOf(phase)
		o.reason = string(parent) + string(phase)
	}
	change, v, err := m.newReport(ctx, phase, message, status, o)
	if err == nil && kind.NotRequired && phases.KindOf(phase) == phases.Singleton {
		err = m.rejected(phase, field.Forbidden(field.NewPath("phase"), "NotRequired is valid for a Parent or Child phase: report a Singleton with its status"))
	}
	if err == nil {
		change.NotRequired, change.SkipIfRunning, change.SkipOtherMode = kind.NotRequired, kind.SkipIfRunning, true
		err = m.submit(ctx, phase, change, v)
	}
	if err != nil && !m.isOfOtherMode(phase) {
		klog.FromContext(ctx).Error(err, "Failed to report a phase of the update", "node", m.config.NodeName, "phase", phase, "status", status)
	}
}

// newReport returns a report of this moment, and the view that it is made with.
func (m *Monitor) newReport(ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus, o options) (plan.PhaseChange, view, error) {
	if err := ctx.Err(); err != nil {
		return plan.PhaseChange{}, view{}, err
	}
	r := conditions.Report{
		Phase:           phase,
		Status:          status,
		Reason:          o.reason,
		Message:         conditions.Truncate(message),
		CompletesParent: o.completesParent,
		ParentMessage:   o.parentMessage,
		Time:            metav1.NewTime(m.config.Clock.Now()),
	}
	if err := m.validate(r, o); err != nil {
		return plan.PhaseChange{}, view{}, m.rejected(phase, err)
	}
	v := m.look()
	return plan.PhaseChange{Report: r, Node: v.node}, v, v.err
}

// validate rejects reports that could never be written.
func (m *Monitor) validate(r conditions.Report, o options) error {
	imageMode := phases.ExistsIn(r.Phase, true) // if the mode is that of the object
	if m.config.ImageMode != nil {
		imageMode = m.config.ImageMode()
	}
	if err := phases.Check(r.Phase, r.Status, imageMode); err != nil {
		return err
	}
	switch {
	case !validate.IsReason(r.Reason):
		return field.Invalid(reasonPath, fmt.Sprintf("%.64s", r.Reason), fmt.Sprintf("must be a CamelCase word of at most %d characters that matches %s", validate.MaxReason, validate.ReasonPattern))
	case conditions.IsReservedReason(r.Reason):
		return field.Invalid(reasonPath, r.Reason, "reserved for a phase that was not reported")
	case o.doneMessage != "":
		return field.Forbidden(optsPath.Key("DoneMessage"), "valid with Track only")
	case r.CompletesParent && r.Status != metav1.ConditionTrue:
		return field.Forbidden(optsPath.Key("CompletesParent"), "valid with status True only: a phase that is not done completes nothing")
	}
	if _, ok := phases.ParentOf(r.Phase); !ok && (r.CompletesParent || r.ParentMessage != "") {
		return field.Forbidden(optsPath, "CompletesParent and ParentMessage are valid for a Child phase only: "+string(r.Phase)+" has no parent")
	}
	return nil
}

// isOfOtherMode reports whether a phase exists, but not in the mode that the node is in.
func (m *Monitor) isOfOtherMode(phase phases.Phase) bool {
	return m.config.ImageMode != nil && phases.KindOf(phase) != "" && !phases.ExistsIn(phase, m.config.ImageMode())
}
