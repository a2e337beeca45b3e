package apierr

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
)

// Log logs each failure once. Each failure has a key, such as the name of an object or a task. The
// zero value is usable. A Log is safe for concurrent use, and must not be copied.
type Log struct {
	Values []any // keys and values for every log line. They must not change after the first use

	mu       sync.Mutex
	failures map[string]failure
}

type failure struct {
	cause    string
	attempts int
}

// Failed logs the error of a request, with advice, unless the last failure of the key had the same
// cause. If the API server cannot be reached, all errors have the same cause, whatever their
// messages. Failed uses the logger of ctx.
func (l *Log) Failed(ctx context.Context, key string, err error, message string, keysAndValues ...any) {
	outcome := Classify(err)
	if err == nil || !l.isNew(key, string(outcome)+" "+string(apierrors.ReasonForError(err))+" "+Policy(err)) {
		return
	}
	values := slices.Concat([]any{"outcome", outcome}, l.Values, keysAndValues)
	if advice := Advice(err); advice != "" {
		values = append(values, "advice", advice)
	}
	klog.FromContext(ctx).WithCallDepth(1).Error(err, message, values...)
}

// Local logs an error that does not come from a request, unless the last failure of the key had the
// same message. If err is nil, Local logs that the failure is over.
func (l *Log) Local(ctx context.Context, key string, err error, failed, recovered string) {
	switch {
	case err == nil:
		l.Recovered(ctx, key, recovered)
	case l.isNew(key, fmt.Sprint(err)): // unlike err.Error(), Sprint does not panic on a nil pointer
		klog.FromContext(ctx).WithCallDepth(1).Error(err, failed, l.Values...)
	}
}

// Recovered logs that the failure of a key is over, with the number of failed attempts. If the key
// has no failure, Recovered does nothing.
func (l *Log) Recovered(ctx context.Context, key, message string, keysAndValues ...any) {
	if failed := l.Forget(key); failed > 0 {
		klog.FromContext(ctx).WithCallDepth(1).Info(message, slices.Concat([]any{"failedAttempts", failed}, l.Values, keysAndValues)...)
	}
}

// Forget removes the failure of a key without logging, and returns the number of failed attempts.
func (l *Log) Forget(key string) (failed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed = l.failures[key].attempts
	delete(l.failures, key)
	return failed
}

// isNew records a failure, and reports whether its cause differs from the last cause of the key.
func (l *Log) isNew(key, cause string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failures == nil {
		l.failures = map[string]failure{}
	}
	before := l.failures[key]
	l.failures[key] = failure{cause, before.attempts + 1}
	return before.cause != cause
}
