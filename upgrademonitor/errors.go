package upgrademonitor

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/phases"
)

// ErrPending says that a report was accepted, is not written yet, and will be: with the
// next call, by Run, or by Flush. The error wraps the cause too, so that
// apierrors.IsServiceUnavailable(err), say, works as well; where the API server denies
// access, the cause is a *DeniedError.
var ErrPending = errors.New("accepted, not written yet")

// ErrTooMuchPending says that a report was not accepted, because as much is pending already
// as is kept: the API server has not taken a write for several whole updates. Nothing that
// was accepted before is lost.
var ErrTooMuchPending = errors.New("not accepted, too much is pending: make sure that the API server can be reached and that Run is running")

// ConfigError says which field of a Config cannot be used.
type ConfigError struct {
	Field   string
	Problem string
	Err     error // the cause, where there is one
}

// Error names the field and says what it takes.
func (e *ConfigError) Error() string {
	return withCause(fmt.Sprintf("upgrademonitor: Config.%s %s", e.Field, e.Problem), e.Err)
}

// Unwrap returns the cause, or nil.
func (e *ConfigError) Unwrap() error { return e.Err }

// ReportError says why a report was not accepted. Nothing was changed and no write made.
// It wraps the cause: one of the errors of package phases, a *ReasonError, or an *OptionError.
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

// ReasonError says that a reason is none that a condition can have.
type ReasonError struct {
	Reason string
}

// Error quotes the reason, shortened, and says what a reason looks like.
func (e *ReasonError) Error() string {
	if e.Reason == "" {
		return "the reason is empty: use a CamelCase word"
	}
	return fmt.Sprintf("invalid reason %.64q of %d characters: use a CamelCase word of at most %d that matches %s", e.Reason, len(e.Reason), maxReason, reasonPattern)
}

// OptionError says that an option does not go with the report.
type OptionError struct {
	Problem string
}

// Error says when the option can be used.
func (e *OptionError) Error() string { return e.Problem }

// RoomError says that others have put so many conditions on the object that those of this
// library do not fit.
type RoomError struct {
	Foreign, Own int
}

// Error says how many there may be.
func (e *RoomError) Error() string {
	return fmt.Sprintf("the object holds %d conditions of others and has no room for %d more, it holds at most %d: remove some of the others", e.Foreign, e.Own, maxConditions)
}

// NodeError says that the Config's Node or Pool function gave no answer to work with.
type NodeError struct {
	NodeName string
	Problem  string
	Err      error // the cause, where there is one
}

// Error names the node and the cause.
func (e *NodeError) Error() string {
	return withCause(fmt.Sprintf("node %s: %s", e.NodeName, e.Problem), e.Err)
}

// Unwrap returns the cause, or nil.
func (e *NodeError) Unwrap() error { return e.Err }

// pendingError is an ErrPending with its cause.
type pendingError struct {
	nodeName string
	what     string
	causes   []error // what went wrong, and the end of the caller's context
}

func (e *pendingError) Error() string {
	return fmt.Sprintf("MachineConfigNode %s: %s: %v: %v", e.nodeName, e.what, ErrPending, errors.Join(e.causes...))
}

func (e *pendingError) Is(target error) bool { return target == ErrPending }

func (e *pendingError) Unwrap() []error { return e.causes }

func withCause(text string, cause error) string {
	if cause == nil {
		return text
	}
	return text + ": " + cause.Error()
}
