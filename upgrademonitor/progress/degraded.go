package progress

import "time"

// Some daemons change the time of NodeDegraded at each retry, although it stays True: the earliest
// time counts.

// observeDegraded records since when a node is degraded.
func (m *memory) observeDegraded(n Node) {
	if !n.IsDegraded() {
		m.degraded = time.Time{}
		return
	}
	m.degraded = earlier(m.degraded, n.Degraded)
}

// degradedSince returns since when a node is degraded; zero if it is not, or if that is not known.
func (h *History) degradedSince(n Node) time.Time {
	m := h.memory(n)
	if m == nil || !n.IsDegraded() {
		return n.Degraded
	}
	return earlier(m.degraded, n.Degraded)
}
