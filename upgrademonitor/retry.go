package upgrademonitor

import (
	"errors"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	lookInterval   = 10 * time.Second // how often the Monitor looks at the Node, after the first request
	specRetryDelay = 10 * time.Second // the pause after a failed spec write, so that retries do not delay the status
	maxRequest     = time.Minute      // the maximum timeout of a request; a longer Config.Timeout has precedence
)

// retryBackoff paces the retries, which never end. With jitter, a pause takes at most 30 seconds.
var retryBackoff = wait.Backoff{Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second}

var errNoResponse = errors.New("no response from the API server yet")

// outage is the current outage, if cause is not nil. An outage ends when a response arrives within
// Config.Timeout, and either confirms a status write or leaves no report pending.
type outage struct {
	cause   error         // the error of the last failed attempt
	waited  time.Duration // how long calls have waited; overlapping waits count once; at most one Timeout
	since   time.Time     // when the current wait started; valid only while callers wait
	lost    int           // the number of requests that timed out
	backoff wait.Backoff
	retryAt time.Time // when the next retry is due; a failed attempt before that time does not change it
}

// over ends the outage. The next calls may wait for a full Timeout again.
func (o *outage) over(now time.Time) { *o = outage{backoff: retryBackoff, since: now} }

func (o *outage) fail(cause error, now time.Time) {
	if o.cause == nil {
		o.hurry()
	}
	o.cause = cause
	o.pace(now)
}

// hurry makes the next retry due now, and resets the backoff.
func (o *outage) hurry() { o.backoff, o.retryAt = retryBackoff, time.Time{} }

// pace schedules the next retry. If a scheduled retry is not due yet, pace does nothing.
func (o *outage) pace(now time.Time) {
	if !now.Before(o.retryAt) {
		o.retryAt = now.Add(o.backoff.Step())
	}
}

// requestTimeout returns the timeout of a request: twice Config.Timeout, doubled for each request
// that timed out, but at most maxRequest. So a write eventually succeeds on a slow API server.
func (o *outage) requestTimeout(timeout time.Duration) time.Duration {
	d := 2 * timeout
	for i := 0; i < o.lost && d < maxRequest; i++ {
		d *= 2
	}
	return max(timeout, min(d, maxRequest))
}

// specFailure is the last failure of the pending spec write. If cause is nil, no write has failed.
type specFailure struct {
	cause error
	after time.Time // the earliest time of the next attempt
}

// scheduleLocked sets the timer to the next retry or the next look at the Node, whichever is
// earlier. If isOverLocked returns true, scheduleLocked only stops the timer.
func (m *Monitor) scheduleLocked() {
	if m.timer == nil {
		return
	}
	m.timer.Stop()
	if m.isOverLocked() {
		return
	}
	at := m.lookAt
	if due, ok := m.dueLocked(); ok && due.Before(at) {
		at = due
	}
	m.timer.Reset(at.Sub(realClock.Now()))
}

// dueLocked returns when the writer must start, or false if the writer is running or has no work.
func (m *Monitor) dueLocked() (time.Time, bool) {
	at := m.outage.retryAt
	if !m.core.Pending() && m.spec.after.After(at) {
		at = m.spec.after
	}
	return at, !m.writer.running && (m.core.Pending() || m.core.SpecPending())
}

// tick looks at the Node and the Lister, so that the status follows the Node even without a report,
// and a deleted object is created again. If a retry is due, tick starts the writer.
func (m *Monitor) tick() {
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isOverLocked() {
		return
	}
	m.followLocked(v)
	now := realClock.Now()
	m.lookAt = now.Add(lookInterval)
	if due, ok := m.dueLocked(); ok && !now.Before(due) {
		m.startLocked()
	}
	m.scheduleLocked()
}
