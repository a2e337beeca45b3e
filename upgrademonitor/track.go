package upgrademonitor

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
)

// Report is GenerateAndApplyMachineConfigNode in one line a call site: the reason is the
// conventional one, or that of the option Reason, and an error is logged. What is pending is no
// error; why it cannot be written is logged once. A phase of the other mode does nothing.
func (m *Monitor) Report(ctx context.Context, phase phases.Phase, status metav1.ConditionStatus, message string, opts ...ReportOption) {
	if m == nil || m.ofOtherMode(phase) {
		return
	}
	options := optionsOf(opts)
	options.doneMessage = ""
	m.report(ctx, phase, status, message, options)
}

// Track runs a piece of work as a phase of the update: it reports Unknown, runs the work,
// and reports True. When the work fails it reports Unknown, with the error in the message.
//
// It returns the work's own error, and nothing else: an error of reporting is logged, and
// the work runs whatever becomes of the reports. The work gets ctx as it is; that it failed
// because ctx ended is reported too. A phase of the other mode is not reported, the work runs.
//
// The options CompletesParent and DoneMessage are of the True, Reason and ParentMessage of both.
func (m *Monitor) Track(ctx context.Context, phase phases.Phase, message string, work func(context.Context) error, opts ...ReportOption) error {
	if work == nil {
		return errors.New("upgrademonitor: Track: the work is nil: pass the function that does what the phase stands for")
	}
	if m == nil || m.ofOtherMode(phase) {
		return work(ctx)
	}
	done := optionsOf(opts)
	running := done
	running.completesParent = false
	m.report(ctx, phase, metav1.ConditionUnknown, message, running)
	err := work(ctx)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		// Sprint does not panic on an error that is a nil pointer.
		m.report(ctx, phase, metav1.ConditionUnknown, fmt.Sprintf("%s: %s", message, fmt.Sprint(err)), running)
		return err
	}
	if done.doneMessage != "" {
		message = done.doneMessage
	}
	m.report(ctx, phase, metav1.ConditionTrue, message, done)
	return nil
}

// report reports, and logs what is not accepted.
func (m *Monitor) report(ctx context.Context, phase phases.Phase, status metav1.ConditionStatus, message string, options reportOptions) {
	reason := options.reason
	if reason == "" {
		reason = conventionalReason(phase)
	}
	err := ctx.Err()
	if err == nil {
		err = m.tryReport(ctx, phase, status, reason, message, options)
	}
	if err != nil && !errors.Is(err, ErrPending) {
		klog.FromContext(ctx).Error(err, "Failed to report a phase of the update", "node", m.config.NodeName, "phase", phase, "status", status)
	}
}

func (m *Monitor) tryReport(ctx context.Context, phase phases.Phase, status metav1.ConditionStatus, reason, message string, options reportOptions) error {
	r, err := m.newReport(ctx, phase, reason, message, status, options)
	if err != nil {
		return err
	}
	return m.submit(ctx, r)
}

// ofOtherMode reports whether a phase exists, but not in the mode that the node is in.
func (m *Monitor) ofOtherMode(phase phases.Phase) bool {
	return phases.KindOf(phase) != "" && !phases.In(phase, m.config.ImageMode())
}

func conventionalReason(phase phases.Phase) string {
	parent, _ := phases.ParentOf(phase)
	return string(parent) + string(phase)
}

// ReportDegraded reports that the update of the node failed, and why, or, with a nil cause,
// that it did not. NodeDegraded stays as it is until the next such report, or the end of an
// update, which clears it. Errors are those of GenerateAndApplyMachineConfigNode.
func (m *Monitor) ReportDegraded(ctx context.Context, cause error) error {
	if m == nil {
		return nil
	}
	status, message := metav1.ConditionFalse, fmt.Sprintf("Node %s upgrade succeeded", m.config.NodeName)
	if cause != nil {
		status, message = metav1.ConditionTrue, fmt.Sprintf("Node %s upgrade failure. %v", m.config.NodeName, cause)
	}
	return m.GenerateAndApplyMachineConfigNode(ctx, phases.NodeDegraded, string(phases.NodeDegraded), message, status)
}
