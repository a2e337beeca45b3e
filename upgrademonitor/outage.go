package upgrademonitor

import (
	"errors"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// maxRequest bounds a request.
	maxRequest = time.Minute
	// specRetryDelay is how long the spec is left alone after a failure, so that it does not delay
	// the status.
	specRetryDelay = 10 * time.Second
)

// retryBackoff is the pace of the retries: at least every 30 s, jitter included. It has no end.
var retryBackoff = wait.Backoff{Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second}

var errNoResponse = errors.New("no response from the API server yet")

// outage is what is known of the current outage. With the zero values of all fields but backoff,
// status writes work. It ends when a status is written within Config.Timeout, or when the API server
// has responded within Timeout and nothing is left to write.
type outage struct {
	cause   error         // why the last attempt failed, nil if no attempt has failed
	waited  time.Duration // while at least one caller waited; the budget of all callers is one Timeout
	since   time.Time     // from when on waited does not count yet. Meaningful while callers wait
	lost    int           // requests that had no response in their time
	backoff wait.Backoff
	retryAt time.Time // when the next retry is due. A call's attempt before it does not move it
}

// over ends the outage. Callers that still wait have a new budget.
func (o *outage) over(now time.Time) { *o = outage{backoff: retryBackoff, since: now} }

// pace sets the time of the next retry, if the last one is due.
func (o *outage) pace(now time.Time) {
	if !now.Before(o.retryAt) {
		o.retryAt = now.Add(o.backoff.Step())
	}
}

// requestTimeout returns how long a request may take: two Timeouts, doubled after each lost response
// up to a minute, so that a slow API server is written to in the end.
func (o *outage) requestTimeout(timeout time.Duration) time.Duration {
	d := 2 * timeout
	for range o.lost {
		if d >= maxRequest {
			break
		}
		d *= 2
	}
	return max(timeout, min(d, maxRequest))
}

// specFailure is the last failure of a write of the spec. It is zero unless a write is pending.
type specFailure struct {
	cause error
	after time.Time // when the next attempt may be made
}
