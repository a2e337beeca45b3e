// Package source reads the objects of a rollout, from a cluster or from files. It keeps the progress of each
// node, and not its object.
package source

import (
	"context"
	"fmt"
	"time"
)

// Source provides the objects.
type Source interface {
	// Read fills a store. To follow, it keeps the store up to date until the context ends. It returns nil
	// when there is no more to read, as at the end of a file.
	Read(ctx context.Context, s *Store, follow bool) error
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
