package rollout

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Failing returns the number of nodes whose last sync has failed, the time at which the first of them
// failed, and the newest error. If no node fails, or Run has returned, it returns 0, the zero time and
// nil. A sync that fails is retried with backoff, at least every 30 seconds. Failing makes no request.
func (c *Controller) Failing() (n int, since time.Time, newest error) {
	return c.health.failing()
}

// health has the nodes that fail. The zero value is ready to use.
type health struct {
	mu     sync.Mutex
	since  map[string]time.Time // when a node failed first, by its name
	newest error                // the last error of any node, while a node fails
}

// set records the result of a sync.
func (h *health) set(name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		delete(h.since, name)
		return
	}
	h.newest = err
	if h.since == nil {
		h.since = map[string]time.Time{}
	}
	if _, fails := h.since[name]; !fails {
		h.since[name] = clock.RealClock{}.Now()
	}
}

func (h *health) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = nil
}

func (h *health) failing() (n int, since time.Time, newest error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.since {
		if since.IsZero() || t.Before(since) {
			since = t
		}
	}
	if len(h.since) > 0 {
		newest = h.newest
	}
	return len(h.since), since, newest
}
