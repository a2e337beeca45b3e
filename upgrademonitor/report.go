package upgrademonitor

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Made once: a repeat allocates next to nothing.
var (
	reasonPath, optsPath = field.NewPath("reason"), field.NewPath("opts")
	errReasonOption      = field.Forbidden(optsPath.Key("Reason"), "pass the reason as the argument")
	errNotRequired       = field.Forbidden(field.NewPath("phase"), "NotRequired is valid for a Parent or Child phase: report a Singleton with its status")
)

// GenerateAndApplyMachineConfigNode reports that a phase of the update has a status, with
// a reason (a CamelCase word) and a message for people.
//
//  1. Steps that the phase's state machine has between its status and the reported one are
//     published too, one write each; so is what the report means for the phase's parent and
//     for the update as a whole. See packages phases and conditions.
//  2. Repeating a report sends no request.
//  3. An error means that the report was not accepted: a *ReportError that wraps the cause, a
//     *NodeError if Config.Node failed, scope.ErrOutOfScope if it returned another node,
//     ErrQueueFull, or the error of a ctx that has ended already. Nothing was written, unless the API
//     server has rejected a later one of several writes.
//  4. A report that was accepted and is not written by the end of Config.Timeout, or of ctx, is no
//     error: it is kept, and written later. See Flush and Run. While Run is running and status writes
//     fail, the call returns without waiting.
//  5. The object is created if it is missing.
//
// lastTransitionTime is the time of the call, in whole seconds.
func (m *Monitor) GenerateAndApplyMachineConfigNode(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...ReportOption) error {
	if m == nil {
		return nil
	}
	options := reportOptionsOf(opts)
	if options.reason != "" {
		return m.rejected(phase, errReasonOption)
	}
	r, err := m.newReport(ctx, phase, reason, message, status, options)
	if err != nil {
		return err
	}
	return m.submit(ctx, r)
}

// Report is GenerateAndApplyMachineConfigNode in one line per call site: the reason is the
// conventional one, or that of the option Reason, and an error is logged. A phase of the other mode
// does nothing.
func (m *Monitor) Report(ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus, opts ...ReportOption) {
	m.report(ctx, phase, message, status, reportOptionsOf(opts), false)
}

// NotRequired reports that a phase is not needed, or not needed any more: False if it has not
// started in this update, True if it has, so that a step that failed and is not repeated does not
// keep its parent from completing. It is for a Parent or a Child phase. Options and errors are those
// of Report.
func (m *Monitor) NotRequired(ctx context.Context, phase phases.Phase, message string, opts ...ReportOption) {
	m.report(ctx, phase, message, metav1.ConditionTrue, reportOptionsOf(opts), true)
}

// ReportDegraded reports that the update of the node failed, and why, or, with a nil cause,
// that it did not. NodeDegraded stays as it is until the next such report, or the end of an
// update, which clears it. An error is logged.
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

// report reports, and logs what is not accepted.
func (m *Monitor) report(ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus, options reportOptions, notRequired bool) {
	if m == nil {
		return
	}
	reason := options.reason
	if reason == "" {
		parent, _ := phases.ParentOf(phase)
		reason = string(parent) + string(phase)
	}
	r, err := m.newReport(ctx, phase, reason, message, status, options)
	if err == nil && notRequired && phases.KindOf(phase) == phases.Singleton {
		err = m.rejected(phase, errNotRequired)
	}
	if err == nil {
		r.NotRequired, r.SkipOtherMode = notRequired, true
		err = m.submit(ctx, r)
	}
	if err != nil && !m.isOfOtherMode(phase) {
		klog.FromContext(ctx).Error(err, "Failed to report a phase of the update", "node", m.config.NodeName, "phase", phase, "status", status)
	}
}

// newReport makes a report of this moment.
func (m *Monitor) newReport(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, options reportOptions) (plan.PhaseChange, error) {
	if err := ctx.Err(); err != nil {
		return plan.PhaseChange{}, err
	}
	if m.invalid != nil {
		return plan.PhaseChange{}, m.rejected(phase, m.invalid)
	}
	r := plan.PhaseChange{Report: conditions.Report{
		Phase:           phase,
		Status:          status,
		Reason:          reason,
		Message:         conditions.Truncate(message),
		CompletesParent: options.completesParent,
		ParentMessage:   options.parentMessage,
		Time:            metav1.NewTime(m.config.Clock.Now()),
	}}
	if err := m.validate(r.Report); err != nil {
		return plan.PhaseChange{}, m.rejected(phase, err)
	}
	var err error
	r.Node, _, err = m.view(ctx)
	return r, err
}

// validate rejects what could never be written.
func (m *Monitor) validate(r conditions.Report) error {
	imageMode := phases.ExistsIn(r.Phase, true) // where the mode is that of the object
	if m.config.ImageMode != nil {
		imageMode = m.config.ImageMode()
	}
	if err := phases.Check(r.Phase, r.Status, imageMode); err != nil {
		return err
	}
	switch {
	case r.Reason == "":
		return field.Required(reasonPath, "use a CamelCase word")
	case len(r.Reason) > validate.MaxReason:
		return field.TooLong(reasonPath, "", validate.MaxReason)
	case !validate.IsReason(r.Reason):
		return field.Invalid(reasonPath, fmt.Sprintf("%.64s", r.Reason), "must be a CamelCase word that matches "+validate.ReasonPattern)
	case conditions.IsReservedReason(r.Reason):
		return field.Invalid(reasonPath, r.Reason, "reserved for a phase that was not reported")
	}
	if r.CompletesParent && r.Status != metav1.ConditionTrue {
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
