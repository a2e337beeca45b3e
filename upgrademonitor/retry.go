package upgrademonitor

import (
	"errors"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// lookInterval is how often the Monitor looks at the Node and at the Lister, from the first
	// request on.
	lookInterval = 10 * time.Second
	// specRetryDelay is how long the spec is left alone after a failure: it must not delay the status.
	specRetryDelay = 10 * time.Second
	// maxRequest bounds a request.
	maxRequest = time.Minute
)

// retryBackoff is the pace of the retries: at least every 30 s, jitter included. It has no end.
var retryBackoff = wait.Backoff{Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second}

var errNoResponse = errors.New("no response from the API server yet")

// outage is what is known of the current outage. Invariant: cause is nil while status writes work.
// It ends when a status is written within Config.Timeout, or when the API server has responded
// within Timeout and nothing is left to write.
type outage struct {
	cause   error         // of the last failed attempt
	waited  time.Duration // how long at least one caller waited: the budget of all is one Timeout
	since   time.Time     // when the callers started to wait. Meaningful while callers wait
	lost    int           // requests without a response in their time
	backoff wait.Backoff
	retryAt time.Time // when the next retry is due. An attempt of a call before it does not move it
}

// over ends the outage. Callers that still wait have a new budget.
func (o *outage) over(now time.Time) { *o = outage{backoff: retryBackoff, since: now} }

// pace sets the time of the next retry, if the last retry is due.
func (o *outage) pace(now time.Time) {
	if !now.Before(o.retryAt) {
		o.retryAt = now.Add(o.backoff.Step())
	}
}

// requestTimeout is two Timeouts, doubled after each lost response up to a minute, so that a slow API
// server is written to in the end.
func (o *outage) requestTimeout(timeout time.Duration) time.Duration {
	d := 2 * timeout
	for i := 0; i < o.lost && d < maxRequest; i++ {
		d *= 2
	}
	return max(timeout, min(d, maxRequest))
}

// specFailure is the last failure of a write of the spec. Invariant: it is zero unless such a write
// is pending.
type specFailure struct {
	cause error
	after time.Time // when the next attempt may be made
}

// scheduleLocked sets the timer to the next retry or look, or stops it.
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

// dueLocked returns when the writer must start again, and false if it runs or has nothing to write.
func (m *Monitor) dueLocked() (time.Time, bool) {
	at := m.outage.retryAt
	if !m.core.Pending() && m.spec.after.After(at) {
		at = m.spec.after
	}
	return at, !m.writer.running && (m.core.Pending() || m.core.SpecPending())
}

// tick looks at the Node, so that the versions in the status follow it without a report, and so that
// an object that was deleted is created again. It starts the writer if a retry is due.
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
