package upgrademonitor

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// failureLog logs a failure when it starts, when its cause changes, and when it is over, but not
// when it repeats. Each failure has a key, such as the name of a task. A failureLog is safe for
// concurrent use.
type failureLog struct {
	values []any // the keys and values of every line

	mu     sync.Mutex
	causes map[string]string // the causes of the failures that are not over, by key
}

// Failed logs the error of a request, unless the last failure with this message had the same cause
// (see apierr.Cause). The message is the key of the failure.
func (l *failureLog) Failed(ctx context.Context, message string, err error) {
	if !l.isNew(message, apierr.Cause(err)) {
		return
	}
	values := slices.Concat([]any{"outcome", apierr.Classify(err)}, l.values)
	if policy := apierr.Policy(err); policy != "" {
		values = append(values, "policy", policy)
	}
	klog.FromContext(ctx).WithCallDepth(1).Error(err, message, values...)
}

// Local logs an error that does not come from a request, unless the last failure of the key had the
// same message. If err is nil, Local logs that the failure is over.
func (l *failureLog) Local(ctx context.Context, key string, err error, failed, recovered string) {
	switch {
	case err == nil:
		l.Recovered(ctx, key, recovered)
	case l.isNew(key, fmt.Sprint(err)): // unlike err.Error(), Sprint does not panic on a nil pointer
		klog.FromContext(ctx).WithCallDepth(1).Error(err, failed, l.values...)
	}
}

// Recovered logs that the failure of a key is over. If the key has no failure, it does nothing.
func (l *failureLog) Recovered(ctx context.Context, key, message string) {
	l.mu.Lock()
	_, failed := l.causes[key]
	delete(l.causes, key)
	l.mu.Unlock()
	if failed {
		klog.FromContext(ctx).WithCallDepth(1).Info(message, l.values...)
	}
}

// isNew records a failure, and reports whether its cause differs from the last cause of the key.
func (l *failureLog) isNew(key, cause string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.causes == nil {
		l.causes = map[string]string{}
	}
	last, failed := l.causes[key]
	l.causes[key] = cause
	return !failed || last != cause
}
