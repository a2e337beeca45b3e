package upgrademonitor

import (
	"errors"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// terminalError is the error of an intent that cannot become true, however often it is tried.
type terminalError struct{ err error }

func (e *terminalError) Error() string { return e.err.Error() }

func (e *terminalError) Unwrap() error { return e.err }

// imageFieldPruned is the error of a write whose images the API server has dropped.
type imageFieldPruned struct{}

var errImageFieldPruned error = imageFieldPruned{}

func (imageFieldPruned) Error() string { return "the API server dropped configImage" }

// Outcome classifies the error for package apierr.
func (imageFieldPruned) Outcome() apierr.Outcome { return apierr.NoImageField }

// noNodeError is the error of a write for which there is no Node. What Config.Node returns, a
// NotFound say, says nothing about the object.
type noNodeError struct{ error }

func (e noNodeError) Unwrap() error { return e.error }

// Outcome classifies the error for package apierr.
func (noNodeError) Outcome() apierr.Outcome { return apierr.Retry }

func isTerminal(err error) bool {
	var terminal *terminalError
	return errors.As(err, &terminal)
}
