// Package source reads the objects of a rollout: from a cluster, files, or a simulated cluster. It keeps
// the progress of each node, and not its object.
package source

import (
	"context"
	"fmt"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/simulate"
)

// Source provides the objects.
type Source interface {
	// Follow fills a store, and keeps it up to date until the context ends. It returns an error if it
	// never can, and ErrFinished at the end of a source that has one.
	Follow(context.Context, *Store) error
	// Now is the time to which ages are measured.
	Now() time.Time
	// Origin is where the objects come from, "" for a cluster.
	Origin() string
}

// UsageError is an error of the arguments, or of a cluster that cannot be read: what was tried, and what to do.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// ErrFinished is the end of a source.
var ErrFinished = simulate.ErrFinished
