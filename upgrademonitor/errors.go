package upgrademonitor

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// ErrPending means that a report was accepted, but is not written yet. The report is queued and
// retried, so the caller need not repeat it. An error that wraps ErrPending also wraps the cause, so
// that, for example, apierrors.IsServiceUnavailable(err) works.
var ErrPending = errors.New("accepted reports are not written yet")

// ErrQueueFull means that a report was not accepted, because 256 reports are pending. Only a report
// that changes the status of a condition is refused. If 128 or more reports are pending, a report
// that changes only a reason and a message replaces the reason and message of the last pending
// report of its phase.
var ErrQueueFull = core.ErrFull

// ReportError is the error of a report that was rejected. It wraps a *field.Error that names an
// invalid argument, a *phases.TransitionError, ErrQueueFull, or the error with which the API server
// rejected the write. If the report needed several writes, some of them may have succeeded.
type ReportError struct {
	NodeName string
	Phase    phases.Phase
	Err      error
}

// Error names the node, the phase and the cause.
func (e *ReportError) Error() string {
	return fmt.Sprintf("report of %s on node %s rejected: %v", e.Phase, e.NodeName, e.Err)
}

// Unwrap returns the cause.
func (e *ReportError) Unwrap() error { return e.Err }

// rejected returns err as a *ReportError, or nil if err is nil.
func (m *Monitor) rejected(phase phases.Phase, err error) error {
	if err == nil {
		return nil
	}
	return &ReportError{NodeName: m.config.NodeName, Phase: phase, Err: err}
}

// NodeError means that Config.Node or Config.Pool failed, that status.phase of the Node is Pending or
// Provisioning, or that the daemon of the node must write the MachineConfigNode first (see Monitors).
type NodeError struct {
	NodeName string
	Problem  string // what is wrong, for example "Config.Node failed"
	Err      error  // the cause, or nil
}

// Error names the node and the cause.
func (e *NodeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("node %s: %s", e.NodeName, e.Problem)
	}
	return fmt.Sprintf("node %s: %s: %v", e.NodeName, e.Problem, e.Err)
}

// Unwrap returns the cause, or nil.
func (e *NodeError) Unwrap() error { return e.Err }
