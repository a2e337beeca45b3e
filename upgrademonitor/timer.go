package upgrademonitor

import (
	"time"
)

// lookInterval is how often the Monitor looks at the Node and at the Lister, from the first request on.
const lookInterval = 10 * time.Second

// scheduleLocked sets the timer to the next retry or look, or stops it.
func (m *Monitor) scheduleLocked() {
	if m.timer == nil {
		return
	}
	if m.isOverLocked() {
		m.timer.Stop()
		return
	}
	at := m.lookAt
	if due, ok := m.dueLocked(); ok && due.Before(at) {
		at = due
	}
	m.timer.Reset(at.Sub(realClock.Now()))
}

// dueLocked returns when the writer must start again, and false if it runs or has nothing to write.
func (m *Monitor) dueLocked() (time.Time, bool) {
	at := m.outage.retryAt
	switch {
	case m.writer.running: // it schedules the next retry
		return at, false
	case m.core.Pending():
		return at, true
	case m.spec.after.After(at):
		at = m.spec.after
	}
	return at, m.core.SpecPending()
}

// tick looks at the Node, so that the versions in the status follow it without a report, and so that
// an object that was deleted is created again. It starts the writer if a retry is due.
func (m *Monitor) tick() {
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isOverLocked() {
		return
	}
	m.seeLocked(v)
	if v.err == nil {
		m.acceptLocked(m.core.Follow())
	}
	now := realClock.Now()
	m.lookAt = now.Add(lookInterval)
	if due, ok := m.dueLocked(); ok && !now.Before(due) {
		m.startLocked()
	}
	m.scheduleLocked()
}
