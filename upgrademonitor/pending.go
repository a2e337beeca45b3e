package upgrademonitor

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

// warnAfter is how long something is pending without a Run before that is logged.
const warnAfter = time.Minute

// Pending returns how many reports are accepted and not written, and when the oldest of them was
// accepted, by Config.Clock; 0 and the zero time if there is none. The versions of a Node that Run follows
// count as one. It makes no request: it is for a
// gauge of the daemon's metrics.
func (m *Monitor) Pending() (n int, since time.Time) {
	if m == nil {
		return 0, time.Time{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	entries := m.core.Entries()
	if len(entries) == 0 {
		return 0, time.Time{}
	}
	return len(entries), entries[0].Accepted.Time
}

// watchPending has a warning logged if something is pending for a minute and no Run is running. It is
// called with m.mu held.
func (m *Monitor) watchPending(ctx context.Context) {
	switch {
	case m.core.Pending() && !m.isRetried():
		if m.warning == nil {
			m.warning = time.AfterFunc(warnAfter, func() { m.warn(context.WithoutCancel(ctx)) })
		}
	case m.warning != nil:
		m.warning.Stop()
		m.warning = nil
	}
}

func (m *Monitor) warn(ctx context.Context) {
	n, since := m.Pending()
	m.mu.Lock()
	retried := m.isRetried()
	m.mu.Unlock()
	if n > 0 && !retried {
		klog.FromContext(ctx).Info("Reports are pending, and no Run tries to write them again: call Run", "node", m.config.NodeName, "pending", n, "since", since)
	}
}
