package simulate

import "time"

// fastClock starts at the real time and runs faster.
type fastClock struct {
	start time.Time
	speed float64
}

// Now returns the time on this clock.
func (c fastClock) Now() time.Time { return c.convert(time.Now()) }

// Since returns the time that has passed on this clock.
func (c fastClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// convert returns the time on this clock at a real time.
func (c fastClock) convert(t time.Time) time.Time {
	return c.start.Add(time.Duration(float64(t.Sub(c.start)) * c.speed))
}

// after returns a channel that receives after a duration on this clock.
func (c fastClock) after(d time.Duration) <-chan time.Time {
	return time.After(time.Duration(float64(d) / c.speed))
}
