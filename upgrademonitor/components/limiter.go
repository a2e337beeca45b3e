package components

import "time"

// quietIntervals is how many of the longest intervals must pass without a write until the shortest
// interval applies again. With fewer, errors in bursts would cause more writes than continuous ones.
const quietIntervals = 6

// limiter spaces the attempts to write: the first after a quiet time is made at once, then the interval
// doubles. It is not safe for concurrent use.
type limiter struct {
	min, max time.Duration

	last     time.Time // of the last attempt; zero before the first
	interval time.Duration
}

// wait returns how long the next attempt has to wait, 0 or less if it can be made.
func (l *limiter) wait(now time.Time) time.Duration {
	if l.last.IsZero() {
		return 0
	}
	if now.Before(l.last) {
		l.last = now // the clock was set back
	}
	return l.interval - now.Sub(l.last)
}

// attempted records an attempt.
func (l *limiter) attempted(now time.Time) {
	if l.last.IsZero() || now.Sub(l.last) >= quietIntervals*l.max {
		l.interval = l.min
	} else {
		l.interval = min(2*l.interval, l.max)
	}
	l.last = now
}

// rest makes the next attempt wait for the longest interval.
func (l *limiter) rest() { l.interval = l.max }
