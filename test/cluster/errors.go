package cluster

import (
	"errors"
	"fmt"
)

var (
	// ErrNotRunning is returned when something is asked of a server that is stopped or has died.
	ErrNotRunning = errors.New("the server is not running")

	// ErrStopped is returned when a cluster is used after Stop.
	ErrStopped = errors.New("the cluster was stopped")

	// errPortTaken is returned when another process took a port between its choice and its use.
	errPortTaken = errors.New("the port was taken by another process")
)

// StartError is returned when a server did not start. It holds the end of its log.
type StartError struct {
	// Server is "etcd" or "kube-apiserver".
	Server string
	// Tail is the end of the server's log.
	Tail string
	// Err is the cause: an exit status, a readiness check that kept failing, or a context error.
	Err error
}

// Error is the cause, followed by the end of the log.
func (e *StartError) Error() string {
	return fmt.Sprintf("%s did not become ready: %v; its log ends with:\n%s", e.Server, e.Err, e.Tail)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
