package upgrademonitor

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// ErrPending means that a report was accepted, but is not written yet. The report is queued and
// retried, so the caller need not repeat it. An error that wraps ErrPending also wraps the cause, so
// that, for example, apierrors.IsServiceUnavailable(err) works.
var ErrPending = errors.New("accepted reports are not written yet")

// ErrQueueFull means that a report was not accepted, because 256 reports are pending. A report that
// changes only a reason and a message replaces those of the last pending report of its phase, if both
// have the same options.
var ErrQueueFull = planner.ErrFull

// ErrNoUpdate rejects a step that a controller has reported while no update of the node is under way. A
// controller never starts an update: see Monitors. In an outage, the report is accepted first, and
// rejected after the outage.
var ErrNoUpdate = planner.ErrNoUpdate

// ReportError is the error of a report that was rejected. It wraps a *field.Error that names an
// invalid argument, a *phases.TransitionError, ErrQueueFull, ErrNoUpdate, or the error with which the API
// server rejected the write. If the report needed several writes, some of them may have succeeded.
type ReportError struct {
	NodeName string
	Phase    phases.Phase
	Err      error
}

// Error names the node, the phase and the cause.
func (e *ReportError) Error() string {
	return fmt.Sprintf("report of %s on node %s rejected: %v", cmp.Or(string(e.Phase), "the Node"), e.NodeName, e.Err)
}

// Unwrap returns the cause.
func (e *ReportError) Unwrap() error { return e.Err }

// rejected returns err as a *ReportError, or nil if err is nil.
func (m *Monitor) rejected(change planner.Change, err error) error {
	if err == nil {
		return nil
	}
	return &ReportError{NodeName: m.config.NodeName, Phase: change.Phase, Err: err}
}
