package upgrademonitor

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
)

// Track runs a piece of work as a phase of the update: it reports Unknown, runs the work,
// and reports True. When the work fails it reports Unknown, with the error in the message.
//
// It returns the work's own error, and nothing else: an error of reporting is logged, and
// the work runs whatever becomes of the reports. The work gets ctx as it is; that it failed
// because ctx ended is reported too.
//
// The reason is the conventional one: the phase, behind its parent where it has one
// (UpdateExecutedDrained).
func (m *Monitor) Track(ctx context.Context, phase phases.Phase, message string, work func(context.Context) error) error {
	if work == nil {
		return errors.New("upgrademonitor: Track: the work is nil: pass the function that does what the phase stands for")
	}
	m.track(ctx, phase, message, metav1.ConditionUnknown)
	err := work(ctx)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		m.track(ctx, phase, message+": "+err.Error(), metav1.ConditionUnknown)
		return err
	}
	m.track(ctx, phase, message, metav1.ConditionTrue)
	return nil
}

func (m *Monitor) track(ctx context.Context, phase phases.Phase, message string, status metav1.ConditionStatus) {
	err := m.GenerateAndApplyMachineConfigNode(ctx, phase, conventionalReason(phase), message, status)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not report a phase of the update", "node", m.config.NodeName, "phase", phase, "status", status)
	}
}

func conventionalReason(phase phases.Phase) string {
	parent, _ := phases.ParentOf(phase)
	return string(parent) + string(phase)
}
