package pool

import (
	"sync"
	"time"
)

// limiter lets each name pass once an interval.
type limiter struct {
	interval time.Duration

	mu   sync.Mutex // guards last
	last map[string]time.Time
}

// delay returns 0 and lets a name pass, or returns how long it has to wait.
func (l *limiter) delay(name string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, ok := l.last[name]; ok {
		if rest := last.Add(l.interval).Sub(now); rest > 0 && rest <= l.interval {
			return rest
		}
	}
	l.last[name] = now
	return 0
}

// forget lets a name pass the next time.
func (l *limiter) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.last, name)
}
