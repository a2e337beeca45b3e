package simulate

import (
	"time"

	"k8s.io/utils/clock"
)

// fastClock starts at the real time and runs faster. What its timers and tickers send is the real
// time.
type fastClock struct {
	real  clock.RealClock
	start time.Time
	speed float64
}

var _ clock.WithTicker = fastClock{}

func newFastClock(speed float64) fastClock {
	return fastClock{start: time.Now(), speed: speed}
}

// Now returns the time on this clock.
func (c fastClock) Now() time.Time { return c.convert(c.real.Now()) }

// Since returns the time that has passed on this clock.
func (c fastClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// After returns a channel that receives after a duration on this clock.
func (c fastClock) After(d time.Duration) <-chan time.Time { return c.real.After(c.duration(d)) }

// NewTimer returns a timer of a duration on this clock.
func (c fastClock) NewTimer(d time.Duration) clock.Timer {
	return fastTimer{Timer: c.real.NewTimer(c.duration(d)), clock: c}
}

// NewTicker returns a ticker of a period on this clock.
func (c fastClock) NewTicker(d time.Duration) clock.Ticker { return c.real.NewTicker(c.duration(d)) }

// Tick returns the channel of a ticker.
func (c fastClock) Tick(d time.Duration) <-chan time.Time { return c.NewTicker(d).C() }

// Sleep waits for a duration on this clock.
func (c fastClock) Sleep(d time.Duration) { <-c.After(d) }

// convert returns the time on this clock at a real time.
func (c fastClock) convert(t time.Time) time.Time {
	return c.start.Add(time.Duration(float64(t.Sub(c.start)) * c.speed))
}

// duration returns how long a duration on this clock really is. A ticker needs a positive one.
func (c fastClock) duration(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return max(1, time.Duration(float64(d)/c.speed))
}

// fastTimer is a timer of a fastClock.
type fastTimer struct {
	clock.Timer
	clock fastClock
}

// Reset restarts the timer with a duration on its clock.
func (t fastTimer) Reset(d time.Duration) bool { return t.Timer.Reset(t.clock.duration(d)) }
