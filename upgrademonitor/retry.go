package upgrademonitor

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	lookInterval = 10 * time.Second // how often the Monitor looks at the Node, after the first request
	maxRequest   = time.Minute      // the maximum timeout of a request after lost responses
)

// retryBackoff has the pauses between retries. The number of retries is not limited. With jitter, a
// pause takes at most 30 seconds.
var retryBackoff = wait.Backoff{
	Steps:    math.MaxInt,
	Duration: 100 * time.Millisecond,
	Factor:   2,
	Jitter:   0.5,
	Cap:      20 * time.Second,
}

// The keys of m.status and m.spec in failureLog. They are also the log messages.
const (
	statusFailure = "Failed to write the MachineConfigNode"
	specFailure   = "Failed to write the spec of the MachineConfigNode"
)

// failure is the last failed attempt of an outage. In the zero value, there is no outage.
type failure struct {
	cause   error
	lost    int // the number of requests without a response in this outage
	backoff wait.Backoff
	retryAt time.Time     // the time of the next retry
	failed  chan struct{} // the channel of nextFailure, or nil
}

// fail records a failed attempt, and closes the channel of nextFailure. If a call started the attempt
// before the next retry was due, the time of that retry does not change.
func (f *failure) fail(cause error, isLost bool) {
	if f.cause == nil {
		f.retryNow()
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

// endOutage ends the outage. The channel of nextFailure stays open.
func (f *failure) endOutage() { *f = failure{failed: f.failed} }

// retryNow makes the next retry due now, and resets the backoff.
func (f *failure) retryNow() {
	f.backoff = retryBackoff
	f.retryAt = time.Time{}
}

// nextFailure returns a channel that is closed at the next failure.
func (f *failure) nextFailure() <-chan struct{} {
	if f.failed == nil {
		f.failed = make(chan struct{})
	}
	return f.failed
}

// timeout returns the timeout of the next request: the value of first, doubled for each lost response
// up to maxRequest, so that a write eventually succeeds on a slow API server.
func (f *failure) timeout(first time.Duration) time.Duration {
	d := first
	for range f.lost {
		d = min(2*d, maxRequest)
	}
	return max(first, d)
}

// failLocked records and logs a failed attempt. f is &m.status or &m.spec. The log line is written
// under the lock, so that it precedes the line about the end of the outage.
func (m *Monitor) failLocked(f *failure, cause error, isLost bool) {
	f.fail(cause, isLost)
	key := statusFailure
	if f == &m.spec {
		key = specFailure
	}
	m.failures.Failed(m.life, key, cause, key)
}
