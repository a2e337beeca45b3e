package upgrademonitor

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// accept decides what can be decided without a request, given the object of the Lister. It returns
// the entry to wait for, nil where there is nothing to write, the error of a refusal, or
// pending.ErrFull.
//
// What is known is enough while the view of the Node is that of the last read or write. Else what
// looks like a refusal or a repeat is queued, to be decided after a read.
func (s *store) accept(in plan.Intent, object *mcfgv1.MachineConfigNode) (*pending.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh(object)
	var memo plan.Memo
	if s.base.known && s.base.nodeUnchanged(in) {
		predicted := s.queue.Predict(s.base.state)
		p, err := in.Plan(predicted, plan.Memo{})
		switch {
		case err != nil:
			return nil, err
		case len(p.Steps) == 0 && s.queue.Len() == 0 && !s.base.needsRead() && !s.isUnlisted(object):
			s.base.setUpdate(p.Final.Update)
			return nil, nil
		case len(p.Steps) == 0 && s.satisfied(in):
			return nil, nil
		}
		memo.InUpdate = s.queue.Len() > 0 && !predicted.IsTrue(phases.Updated)
	}
	return s.queue.Push(in, memo)
}

// satisfied reports whether the object as it is known, whatever is queued, is what the intent
// asks for. Callers hold s.mu.
func (s *store) satisfied(in plan.Intent) bool {
	if s.base.needsRead() {
		return false
	}
	p, err := in.Plan(s.base.state, plan.Memo{})
	return err == nil && len(p.Steps) == 0
}

// plan plans an entry on what is known, and keeps what was decided. It reports too whether the
// view of the Node is that of the last read or write, so that a refusal or a no-op may be decided.
func (s *store) plan(e *pending.Entry) (state plan.State, p plan.Plan, current bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, current = s.base.state, s.base.nodeUnchanged(e)
	if p, err = e.Plan(state, e.Memo); err == nil && (current || len(p.Steps) > 0) {
		e.Memo = p.Memo
	}
	return state, p, current, err
}

// halve has an entry planned with less text, because the object was too large. It reports whether
// there is any to leave out.
func (s *store) halve(e *pending.Entry) (halved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, err := e.Plan(s.base.state, e.Memo); err == nil {
		e.Memo, halved = p.Halve()
	}
	return halved
}

// noteWaiting takes note that an entry has to wait while an update is under way: should that be
// over by the time it is written, it begins no other one.
func (s *store) noteWaiting(e *pending.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base.known && s.base.nodeUnchanged(e) && !s.base.state.IsTrue(phases.Updated) {
		e.Memo.InUpdate = true
	}
}

// noteSpecFailed takes note that a report's own write of the spec has failed, and reports whether
// it had before.
func (s *store) noteSpecFailed(e *pending.Entry) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again, e.SpecFailed = e.SpecFailed, true
	return again
}
