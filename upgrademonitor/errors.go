package upgrademonitor

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// ErrPending means that a report was accepted, is not written yet, and will be: with the
// next call, by Run, or by Flush. The error wraps the cause too, so that
// apierrors.IsServiceUnavailable(err), say, works as well; where the API server denies
// access, the cause is a *DeniedError. Callers treat it as success: the cause is logged once.
var ErrPending = errors.New("accepted, not written yet")

// ErrQueueFull means that a report was not accepted, because the API server has not accepted a
// write for several whole updates, and could not be written to now. Nothing that was accepted
// before is lost.
var ErrQueueFull = errors.New("not accepted, too many reports are pending: make sure that the API server can be reached and that Run is running")

// ReportError is the reason why a report was not accepted. Nothing was changed and no write made.
// It wraps the cause: a *field.Error that names what is invalid, a *phases.TransitionError, or a
// *TooManyConditionsError.
type ReportError struct {
	NodeName string
	Phase    phases.Phase
	Err      error
}

// Error names the node, the phase and the cause.
func (e *ReportError) Error() string {
	return fmt.Sprintf("report of %s on node %s refused: %v", e.Phase, e.NodeName, e.Err)
}

// Unwrap returns the cause.
func (e *ReportError) Unwrap() error { return e.Err }

// TooManyConditionsError means that the object has so many conditions of others that those of
// this library do not fit.
type TooManyConditionsError = plan.TooManyConditionsError

// NodeError means that there is no Node to work with: the Config's Node or Pool function failed, or
// the Node is not provisioned yet.
type NodeError struct {
	NodeName string
	Problem  string
	Err      error // the cause, where there is one
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

// pendingError is an ErrPending with its cause.
type pendingError struct {
	nodeName string
	what     string
	causes   []error // what failed, and the end of the caller's context
}

func (e *pendingError) Error() string {
	return fmt.Sprintf("MachineConfigNode %s: %s: %v: %v", e.nodeName, e.what, ErrPending, errors.Join(e.causes...))
}

func (e *pendingError) Is(target error) bool { return target == ErrPending }

func (e *pendingError) Unwrap() []error { return e.causes }
