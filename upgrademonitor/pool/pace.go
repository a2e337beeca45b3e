package pool

import (
	"sync"
	"time"
)

// pace lets each name through once an interval.
type pace struct {
	interval time.Duration

	mu   sync.Mutex
	last map[string]time.Time
}

// wait lets a name through and returns 0, or returns how long it still has to wait.
func (p *pace) wait(name string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.last[name]; ok {
		if rest := last.Add(p.interval).Sub(now); rest > 0 && rest <= p.interval {
			return rest
		}
	}
	p.last[name] = now
	return 0
}

// forget lets a name through whenever it comes next.
func (p *pace) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, name)
}
