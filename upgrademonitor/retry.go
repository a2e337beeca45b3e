package upgrademonitor

import (
	"context"
	"errors"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	lookInterval = 10 * time.Second // how often the Monitor looks at the Node, after the first request
	maxRequest   = time.Minute      // each lost response doubles the timeout, up to this limit
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

// The log messages about m.status and m.spec.
const (
	statusFailure = "Failed to write the MachineConfigNode"
	specFailure   = "Failed to write the spec of the MachineConfigNode"
)

// failure is the last failed attempt of an outage. The zero value means that there is no outage.
type failure struct {
	cause   error
	lost    int // the number of requests without a response in this outage
	backoff wait.Backoff
	retryAt time.Time // the time of the next retry
}

// retryNow makes the next retry due now, and resets the backoff.
func (f *failure) retryNow() {
	f.backoff = retryBackoff
	f.retryAt = time.Time{}
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

// failLocked records and logs a failed attempt, and wakes the calls that wait. f is &m.status or
// &m.spec. If a call started the attempt before the next retry was due, the time of that retry does not
// change. The log line is written under the lock, so that it precedes the line about the end of the
// outage.
func (m *Monitor) failLocked(f *failure, cause error) {
	if f.cause == nil {
		f.retryNow()
	}
	f.cause = cause
	if errors.Is(cause, context.DeadlineExceeded) {
		f.lost++
	}
	if now := realClock.Now(); !now.Before(f.retryAt) {
		f.retryAt = now.Add(f.backoff.Step())
	}
	close(m.failed)
	m.failed = make(chan struct{})
	message := statusFailure
	if f == &m.spec {
		message = specFailure
	}
	m.failures.Failed(m.life, message, cause)
}
