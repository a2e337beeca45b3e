package failurelog

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Log logs the failures of one thing. The zero value is usable, by any number of goroutines. It
// must not be copied.
type Log struct {
	mu     sync.Mutex
	cause  string // "": it does not fail
	failed int
}

// Failed logs the error of a request through ctx, with what to do about it, unless its cause is that
// of the last one: an API server that cannot be reached is one cause, whatever the text says.
func (l *Log) Failed(ctx context.Context, err error, message string, keysAndValues ...any) {
	if err != nil && l.begins(causeOf(err)) {
		logFailure(ctx, err, message, keysAndValues)
	}
}

// FailedOtherwise logs an error that is of no request, unless its text is that of the last one.
func (l *Log) FailedOtherwise(ctx context.Context, err error, message string, keysAndValues ...any) {
	if l.begins(fmt.Sprint(err)) { // unlike Error, it does not panic on a nil pointer
		klog.FromContext(ctx).WithCallDepth(1).Error(err, message, keysAndValues...)
	}
}

// Recovered logs that a failure is over, with how many attempts failed. It does nothing where
// there was none.
func (l *Log) Recovered(ctx context.Context, message string, keysAndValues ...any) {
	if failed := l.ends(); failed > 0 {
		logRecovery(ctx, failed, message, keysAndValues)
	}
}

// Failing reports whether the last attempt failed.
func (l *Log) Failing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed > 0
}

// begins records a failure, and reports whether it is to be logged.
func (l *Log) begins(cause string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed++
	begins := l.cause != cause
	l.cause = cause
	return begins
}

// ends records a success, and returns how many attempts had failed before.
func (l *Log) ends() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed := l.failed
	l.cause, l.failed = "", 0
	return failed
}

// causeOf returns what is the same for all errors of one kind: what the error means for the request, its
// reason, and the policy that denies. An API server that cannot be reached is one kind, whether it
// refuses connections, drops them or is slow.
func causeOf(err error) string {
	return string(apierr.Classify(err)) + " " + string(apierrors.ReasonForError(err)) + " " + apierr.Policy(err)
}

func logFailure(ctx context.Context, err error, message string, keysAndValues []any) {
	values := append([]any{"outcome", apierr.Classify(err)}, keysAndValues...)
	if advice := apierr.Advice(err); advice != "" {
		values = append(values, "advice", advice)
	}
	klog.FromContext(ctx).WithCallDepth(2).Error(err, message, values...)
}

func logRecovery(ctx context.Context, failed int, message string, keysAndValues []any) {
	klog.FromContext(ctx).WithCallDepth(2).Info(message, append([]any{"failedAttempts", failed}, keysAndValues...)...)
}
