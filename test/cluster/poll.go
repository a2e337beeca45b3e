package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// pollInterval is short against the seconds that a server takes to start.
	pollInterval = 50 * time.Millisecond

	// readyTimeout bounds every wait for a server, for callers whose context has no deadline. A
	// start takes 2 to 6 seconds on a quiet machine.
	readyTimeout = 2 * time.Minute
)

// permanentError is an error that another attempt would not change.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// permanent makes eventually return err instead of trying again.
func permanent(err error) error { return &permanentError{err} }

// eventually calls check until it returns nil. It gives up when check returns a permanent error,
// when ctx ends and after readyTimeout; the error then holds the last answer of check.
func eventually(ctx context.Context, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		err := check(ctx)
		if fatal := (*permanentError)(nil); errors.As(err, &fatal) {
			return false, fatal.error
		}
		// The end of ctx also fails the current check, with a less useful error than the one before.
		if err != nil && (last == nil || ctx.Err() == nil) {
			last = err
		}
		return err == nil, nil
	})
	if err != nil && last != nil && wait.Interrupted(err) {
		return fmt.Errorf("%w, the last attempt: %w", err, last)
	}
	return err
}
