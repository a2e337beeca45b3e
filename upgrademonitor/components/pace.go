package components

import "time"

// quietIntervals is how many of the longest intervals must pass without a write until the shortest
// interval applies again. With fewer, errors in bursts would cause more writes than continuous ones.
const quietIntervals = 6

// pace spaces the attempts to write: the first after a quiet time is made at once, then the interval
// doubles. It is not safe for concurrent use.
type pace struct {
	min, max time.Duration

	last     time.Time // of the last attempt; zero before the first
	interval time.Duration
}

// wait returns how long the next attempt has to wait, 0 or less if it can be made.
func (p *pace) wait(now time.Time) time.Duration {
	if p.last.IsZero() {
		return 0
	}
	if now.Before(p.last) {
		p.last = now // the clock was set back
	}
	return p.interval - now.Sub(p.last)
}

// attempted records an attempt.
func (p *pace) attempted(now time.Time) {
	if p.last.IsZero() || now.Sub(p.last) >= quietIntervals*p.max {
		p.interval = p.min
	} else {
		p.interval = min(2*p.interval, p.max)
	}
	p.last = now
}

// rest makes the next attempt wait for the longest interval.
func (p *pace) rest() { p.interval = p.max }
