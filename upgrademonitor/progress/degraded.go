package progress

import "time"

// Some daemons change the time of NodeDegraded at each retry, although it stays True: the earliest
// time counts.

// observeDegraded records since when a node is degraded.
func (h *History) observeDegraded(n Node) {
	if !n.IsDegraded() {
		delete(h.degraded, n.Name)
		return
	}
	if h.degraded == nil {
		h.degraded = map[string]time.Time{}
	}
	h.degraded[n.Name] = earlier(h.degraded[n.Name], n.Degraded)
}

// degradedSince returns since when a node is degraded; zero if it is not, or if that is not known.
func (h *History) degradedSince(n Node) time.Time {
	if h == nil || !n.IsDegraded() {
		return n.Degraded
	}
	return earlier(h.degraded[n.Name], n.Degraded)
}
