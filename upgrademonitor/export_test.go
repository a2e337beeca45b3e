package upgrademonitor

import (
	"testing"
	"time"

	"k8s.io/utils/clock"
)

// SetRealClock replaces the clock that measures CheckInterval.
func SetRealClock(c *Config, realClock clock.PassiveClock) { c.realClock = realClock }

// SetTimers replaces the clock of the timers of Run and Flush.
func SetTimers(c *Config, timers clock.WithTicker) { c.timers = timers }

// SetListerInterval makes Run check the Lister more often, for one test.
func SetListerInterval(t testing.TB, interval time.Duration) {
	before := listerInterval
	listerInterval = interval
	t.Cleanup(func() { listerInterval = before })
}

// SetRetryDelay makes Run and Flush retry sooner, for one test.
func SetRetryDelay(t testing.TB, delay time.Duration) {
	before := retryBackoff
	retryBackoff.Duration = delay
	t.Cleanup(func() { retryBackoff = before })
}

// QueueLen returns the number of pending entries.
func QueueLen(m *Monitor) int {
	m.store.mu.Lock()
	defer m.store.mu.Unlock()
	return m.store.queue.Len()
}
