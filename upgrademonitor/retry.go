package upgrademonitor

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	lookInterval = 10 * time.Second // how often the Monitor looks at the Node, after the first request
	maxRequest   = time.Minute      // the maximum timeout of a request; a longer first timeout has precedence
)

// retryBackoff paces the retries, which never end. With jitter, a pause takes at most 30 seconds.
var retryBackoff = wait.Backoff{Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second}

// The keys of the failures in failureLog.
const (
	statusFailure = "Failed to write the MachineConfigNode"
	specFailure   = "Failed to write the spec of the MachineConfigNode"
)

// failure is the last failed attempt of an outage. In the zero value, there is no outage.
type failure struct {
	cause   error
	lost    int // the number of requests without a response
	backoff wait.Backoff
	retryAt time.Time     // when the next retry is due
	failed  chan struct{} // closed at the next failure; nil if no call waits for it
}

// fail records a failed attempt, and wakes the calls that wait for it. If the next retry is not due
// yet, because a call asked for the attempt, the retry stays as it is.
func (f *failure) fail(cause error, isLost bool) {
	if f.cause == nil {
		f.hurry()
	}
	f.cause = cause
	if isLost {
		f.lost++
	}
	if now := realClock.Now(); !now.Before(f.retryAt) {
		f.retryAt = now.Add(f.backoff.Step())
	}
	if f.failed != nil {
		close(f.failed)
		f.failed = nil
	}
}

// over ends the outage. Calls that wait for the next failure still do.
func (f *failure) over() { *f = failure{failed: f.failed} }

// hurry makes the next retry due now, and resets the backoff.
func (f *failure) hurry() { f.backoff, f.retryAt = retryBackoff, time.Time{} }

// next returns a channel that is closed at the next failure.
func (f *failure) next() <-chan struct{} {
	if f.failed == nil {
		f.failed = make(chan struct{})
	}
	return f.failed
}

// timeout returns the timeout of the next request: first, doubled for each lost response, but at
// most maxRequest. So a write eventually succeeds on a slow API server.
func (f *failure) timeout(first time.Duration) time.Duration {
	d := first
	for range f.lost {
		d = min(2*d, maxRequest)
	}
	return max(first, d)
}

// failLocked records and logs a failure of m.status or m.spec. The log line is written under the
// lock, so that it is before the line that says that the failure is over.
func (m *Monitor) failLocked(f *failure, cause error, isLost bool) {
	f.fail(cause, isLost)
	key := statusFailure
	if f == &m.spec {
		key = specFailure
	}
	m.failures.Failed(m.life, key, cause, key)
}
