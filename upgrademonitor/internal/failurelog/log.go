package failurelog

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// maxKeys is how many keys have a failure of their own at a time. The others share one, so that
// neither memory nor log grows with the cluster.
const maxKeys = 1000

// Log logs the failures of what has a key: a thing that a process does, or an object. The zero value
// is usable, by any number of goroutines. It must not be copied.
type Log struct {
	mu       sync.Mutex
	failures map[string]*failure
	shared   failure // of the keys beyond maxKeys
}

type failure struct {
	cause    string
	attempts int
}

// Failed logs the error of a request through ctx, with what to do about it, unless its cause is that
// of the last one: an API server that cannot be reached is one cause, whatever the text says.
func (l *Log) Failed(ctx context.Context, key string, err error, message string, keysAndValues ...any) {
	if err == nil {
		return
	}
	begins, own := l.begins(key, string(apierr.Classify(err))+" "+string(apierrors.ReasonForError(err))+" "+apierr.Policy(err))
	if !begins {
		return
	}
	values := []any{"outcome", apierr.Classify(err)}
	if !own {
		values = append(values, "alsoOthers", true)
	}
	values = append(values, keysAndValues...)
	if advice := apierr.Advice(err); advice != "" {
		values = append(values, "advice", advice)
	}
	klog.FromContext(ctx).WithCallDepth(1).Error(err, message, values...)
}

// FailedOtherwise logs an error that is of no request, unless its text is that of the last one.
func (l *Log) FailedOtherwise(ctx context.Context, key string, err error, message string, keysAndValues ...any) {
	if begins, _ := l.begins(key, fmt.Sprint(err)); begins { // unlike Error, it does not panic on a nil pointer
		klog.FromContext(ctx).WithCallDepth(1).Error(err, message, keysAndValues...)
	}
}

// Recovered logs that a failure is over, with how many attempts failed. It does nothing where
// there was none.
func (l *Log) Recovered(ctx context.Context, key, message string, keysAndValues ...any) {
	if failed := l.Forget(key); failed > 0 {
		klog.FromContext(ctx).WithCallDepth(1).Info(message, append([]any{"failedAttempts", failed}, keysAndValues...)...)
	}
}

// Failing reports whether the last attempt failed.
func (l *Log) Failing(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failures[key] != nil
}

// Forget forgets a failure without a word, and returns how many attempts failed. The next one
// beyond maxKeys gets its place; the shared one starts again once there was room for all.
func (l *Log) Forget(key string) (failed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.failures[key]
	if f == nil {
		return 0
	}
	delete(l.failures, key)
	if len(l.failures) == 0 {
		l.shared = failure{}
	}
	return f.attempts
}

// begins records a failure, and reports whether it is to be logged, and whether it is the key's own.
func (l *Log) begins(key, cause string) (begins, own bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.failures[key]
	switch {
	case f != nil:
	case len(l.failures) >= maxKeys:
		f = &l.shared
	default:
		if l.failures == nil {
			l.failures = map[string]*failure{}
		}
		f = &failure{}
		l.failures[key] = f
	}
	begins = f.cause != cause
	f.cause = cause
	f.attempts++
	return begins, f != &l.shared
}
