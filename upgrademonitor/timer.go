package upgrademonitor

import (
	"time"
)

// lookInterval is how often the Monitor looks at the Node and at the Lister.
const lookInterval = 10 * time.Second

// timer is the one timer of a Monitor, for the next retry and the next look.
type timer struct {
	timer *time.Timer // nil before the first request
	at    time.Time   // when it fires; zero if it is not armed
}

func (t *timer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.at = time.Time{}
}

// scheduleLocked arms the timer for the next retry or look, if it does not fire before that.
func (m *Monitor) scheduleLocked() {
	if m.isOverLocked() || m.writer.requests == 0 {
		return
	}
	now := realClock.Now()
	at := now.Add(lookInterval)
	if due, ok := m.dueLocked(); ok && due.Before(at) {
		at = due
	}
	if !m.timer.at.IsZero() && !at.Before(m.timer.at) {
		return
	}
	m.timer.at = at
	if m.timer.timer == nil {
		m.timer.timer = time.AfterFunc(at.Sub(now), m.tick)
	} else {
		m.timer.timer.Reset(at.Sub(now))
	}
}

// dueLocked returns when the writer must start again, and false if it runs or has nothing to write.
func (m *Monitor) dueLocked() (time.Time, bool) {
	switch {
	case m.writer.running:
		return time.Time{}, false // it schedules the next retry
	case m.core.Pending():
		return m.outage.retryAt, true
	case m.core.SpecPending() && m.spec.after.After(m.outage.retryAt):
		return m.spec.after, true
	case m.core.SpecPending():
		return m.outage.retryAt, true
	}
	return time.Time{}, false
}

// tick looks at the Node, so that the versions in the status follow it without a report, and so that
// an object that was deleted is created again. It starts the writer if a retry is due.
func (m *Monitor) tick() {
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer.at = time.Time{}
	if m.isOverLocked() {
		return
	}
	m.seeLocked(v)
	if v.err == nil {
		m.acceptLocked(m.core.Follow())
	}
	if due, ok := m.dueLocked(); ok && !realClock.Now().Before(due) {
		m.startLocked()
	}
	m.scheduleLocked()
}
