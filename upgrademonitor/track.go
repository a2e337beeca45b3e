package upgrademonitor

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Track runs a piece of work as a phase of the update: it reports Unknown, runs the work,
// and reports True. When the work fails it reports Unknown, with the error in the message.
//
// It returns the work's own error, and nothing else: an error of reporting is logged, and
// the work runs whatever becomes of the reports. The work gets ctx as it is; that it failed
// because ctx ended is reported too. A phase of the other mode is not reported, the work runs.
//
// The options CompletesParent and DoneMessage are of the True, Reason and ParentMessage of both.
func (m *Monitor) Track(ctx context.Context, phase phases.Phase, message string, work func(context.Context) error, opts ...TrackOption) error {
	if work == nil {
		return errors.New("upgrademonitor: Track: the work is nil: pass the function that does what the phase stands for")
	}
	done := trackOptionsOf(opts)
	running := done
	running.completesParent = false
	m.report(ctx, phase, message, metav1.ConditionUnknown, running, false)
	err := work(ctx)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		// Sprint does not panic on an error that is a nil pointer.
		m.report(ctx, phase, fmt.Sprintf("%s: %s", message, fmt.Sprint(err)), metav1.ConditionUnknown, running, false)
		return err
	}
	if done.doneMessage != "" {
		message = done.doneMessage
	}
	m.report(ctx, phase, message, metav1.ConditionTrue, done, false)
	return nil
}
