package upgrademonitor

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// await waits for an entry to be finished, until waiting is in vain, which is called with m.mu held, the
// timer fires or ctx ends.
func (m *Monitor) await(ctx context.Context, e *core.Entry, timeout *time.Timer, inVain func(*Monitor) bool) {
	for {
		m.mu.Lock()
		if !e.Done() && inVain(m) { // what is done is finished once it is logged
			m.mu.Unlock()
			return
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-e.Finished:
			return
		case <-changed:
		case <-timeout.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// tellWaiters has those who wait look again whether it is in vain.
func (m *Monitor) tellWaiters() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// isInVain reports whether a caller waits in vain: there is no writer any more, or it fails, and
// Run tries again. It is called with m.mu held.
func (m *Monitor) isInVain() bool { return !m.writing || m.failing && m.isRetried() }

// isRetried reports whether a Run tries what is pending again. It is called with m.mu held.
func (m *Monitor) isRetried() bool { return m.runs > 0 || m.group != nil && m.group.isRun() }

// wake has Run look at once. It does not block.
func (m *Monitor) wake() {
	select {
	case m.woken <- struct{}{}:
	default: // it was woken already
	}
	m.mu.Lock()
	group := m.group
	m.mu.Unlock()
	if group != nil {
		group.wake(m.config.NodeName)
	}
}
