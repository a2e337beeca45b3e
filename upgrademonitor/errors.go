package upgrademonitor

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/phases"
)

// ErrPending is returned by Flush for reports that were accepted and are not written yet. They
// will be, by a later call or by Run. The error wraps the cause, so that
// apierrors.IsServiceUnavailable(err), say, works as well.
var ErrPending = errors.New("accepted, not written yet")

// ErrQueueFull means that a report was not accepted: the API server has accepted no write for
// several whole updates, and does not accept one now. Nothing that was accepted before is lost.
var ErrQueueFull = errors.New("not accepted, too many reports are pending: make sure that the API server can be reached and that Run is running")

// ReportError is the reason why a report was not accepted. It wraps the cause: a *field.Error that names
// what is invalid, a *phases.TransitionError, or the error of an API server that rejects the write for good.
// Nothing was written, unless that was a later one of several writes.
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

// rejected returns the error of a report that is not accepted.
func (m *Monitor) rejected(phase phases.Phase, err error) error {
	return &ReportError{NodeName: m.config.NodeName, Phase: phase, Err: err}
}

// NodeError means that there is no Node to work with: Config.Node or Config.Pool failed, or the
// Node is not provisioned yet.
type NodeError struct {
	NodeName string
	Problem  string
	Err      error // the cause, or nil
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
