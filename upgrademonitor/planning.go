package upgrademonitor

import (
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// plan plans an entry on what is known, and keeps what was decided. It reports too whether the
// view of the Node is that of the last read or write, so that a refusal or a no-op may be decided.
func (m *Monitor) plan(e *pending.Entry) (s plan.State, p plan.Plan, current bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, current = m.base.state, m.base.nodeUnchanged(e)
	if p, err = e.Plan(s, e.Memo); err == nil && (current || len(p.Steps) > 0) {
		e.Memo = p.Memo
	}
	return s, p, current, err
}

// halve has an entry planned with less text, because the object was too large. It reports whether
// there is any to leave out.
func (m *Monitor) halve(e *pending.Entry) (halved bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, err := e.Plan(m.base.state, e.Memo); err == nil {
		e.Memo, halved = p.Halve()
	}
	return halved
}

// noteWaiting takes note that an entry has to wait while an update is under way: should that be
// over by the time it is written, it begins no other one.
func (m *Monitor) noteWaiting(e *pending.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.base.known && m.base.nodeUnchanged(e) && !m.base.state.IsTrue(phases.Updated) {
		e.Memo.InUpdate = true
	}
}
