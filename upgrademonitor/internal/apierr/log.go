package apierr

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
)

// Log logs the failures of what has a key: a thing that a process does, or an object. The zero value
// is usable, by any number of goroutines. It must not be copied.
type Log struct {
	Values []any // keys and values of every line, not changed any more

	mu       sync.Mutex
	failures map[string]failure
}

type failure struct {
	cause    string
	attempts int
}

// Failed logs the error of a request through ctx, with what to do about it, unless its cause is that
// of the last one: an API server that cannot be reached is one cause, whatever the text says.
func (l *Log) Failed(ctx context.Context, key string, err error, message string, keysAndValues ...any) {
	outcome := Classify(err)
	if err == nil || !l.begins(key, string(outcome)+" "+string(apierrors.ReasonForError(err))+" "+Policy(err)) {
		return
	}
	values := slices.Concat([]any{"outcome", outcome}, l.Values, keysAndValues)
	if advice := Advice(err); advice != "" {
		values = append(values, "advice", advice)
	}
	klog.FromContext(ctx).WithCallDepth(1).Error(err, message, values...)
}

// FailedLocally logs an error that is of no request, unless its text is that of the last one.
func (l *Log) FailedLocally(ctx context.Context, key string, err error, message string, keysAndValues ...any) {
	if l.begins(key, fmt.Sprint(err)) { // unlike Error, it does not panic on a nil pointer
		klog.FromContext(ctx).WithCallDepth(1).Error(err, message, slices.Concat(l.Values, keysAndValues)...)
	}
}

// Recovered logs that a failure is over, with how many attempts failed. It does nothing where
// there was none.
func (l *Log) Recovered(ctx context.Context, key, message string, keysAndValues ...any) {
	if failed := l.Forget(key); failed > 0 {
		klog.FromContext(ctx).WithCallDepth(1).Info(message, slices.Concat([]any{"failedAttempts", failed}, l.Values, keysAndValues)...)
	}
}

// Forget forgets a failure without a word, and returns how many attempts failed.
func (l *Log) Forget(key string) (failed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed = l.failures[key].attempts
	delete(l.failures, key)
	return failed
}

// begins records a failure, and reports whether it is to be logged.
func (l *Log) begins(key, cause string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failures == nil {
		l.failures = map[string]failure{}
	}
	before := l.failures[key]
	l.failures[key] = failure{cause, before.attempts + 1}
	return before.cause != cause
}
