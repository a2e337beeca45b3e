package upgrademonitor

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

// submit accepts an intent or refuses it, then has it written.
func (m *Monitor) submit(ctx context.Context, in plan.Intent) error {
	called := m.config.realClock.Now()
	e, err := m.accept(ctx, in)
	if e == nil && err == nil {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, m.config.Timeout-m.config.realClock.Since(called))
	defer cancel()
	for errors.Is(err, pending.ErrFull) && m.makeRoom(bounded) {
		e, err = m.accept(ctx, in)
	}
	if errors.Is(err, pending.ErrFull) {
		_ = m.drainUntil(bounded, nil) // the API server may be back: there is room then
		e, err = m.accept(ctx, in)
	}
	switch {
	case errors.Is(err, pending.ErrFull):
		return fmt.Errorf("MachineConfigNode %s: %s: %w", m.config.NodeName, in, ErrQueueFull)
	case err != nil:
		return m.intentRefused(in, err)
	case e == nil:
		return nil
	}
	return m.await(bounded, e)
}

// accept decides what can be decided without a request. It returns the entry to wait for, nil
// where there is nothing to write, the error of a refusal, or pending.ErrFull.
//
// What the Monitor knows is enough while the view of the Node is that of the last read or write.
// Else what looks like a refusal or a repeat is queued, to be decided after a read.
func (m *Monitor) accept(ctx context.Context, in plan.Intent) (*pending.Entry, error) {
	object := m.listed(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refresh(object)
	var memo plan.Memo
	if m.base.known && m.base.nodeUnchanged(in) {
		predicted := m.queue.Predict(m.base.state)
		p, err := in.Plan(predicted, plan.Memo{})
		switch {
		case err != nil:
			return nil, err
		case len(p.Steps) == 0 && m.queue.Len() == 0 && !m.base.needsRead() && !m.isUnlisted(object):
			m.base.setUpdate(p.Final.Update)
			return nil, nil
		case len(p.Steps) == 0 && m.satisfied(in):
			return nil, nil
		}
		memo.InUpdate = m.queue.Len() > 0 && !predicted.IsTrue(phases.Updated)
	}
	return m.queue.Push(in, memo)
}

// satisfied reports whether the object as it is known, whatever is queued, is what the intent
// asks for. Callers hold m.mu.
func (m *Monitor) satisfied(in plan.Intent) bool {
	if m.base.needsRead() {
		return false
	}
	p, err := in.Plan(m.base.state, plan.Memo{})
	return err == nil && len(p.Steps) == 0
}

// listed returns the object as the Lister has it, nil where it has none.
func (m *Monitor) listed(ctx context.Context) *mcfgv1.MachineConfigNode {
	if m.config.Lister == nil {
		return nil
	}
	object, err := m.config.Lister.Get(m.config.NodeName)
	switch {
	case err != nil || object == nil:
		return nil
	case object.Name != m.config.NodeName:
		err := fmt.Errorf("%w: the Lister returned MachineConfigNode %q: pass the Lister of an informer that has not changed its objects", scope.ErrOutOfScope, object.Name)
		m.listerFailures.Failed(ctx, err, "Ignoring the Lister", "node", m.config.NodeName)
		return nil
	}
	m.listerFailures.Recovered(ctx, "Using the Lister again", "node", m.config.NodeName)
	return object
}

// isUnlisted reports whether the object is to be read because the Lister does not contain it.
// Callers hold m.mu.
func (m *Monitor) isUnlisted(object *mcfgv1.MachineConfigNode) bool {
	return m.config.Lister != nil && object == nil && m.base.checkUnlisted(m.config.realClock.Now(), m.config.CheckInterval)
}

// refresh brings what is known up to date with what the Lister has, and with time. Callers hold
// m.mu.
func (m *Monitor) refresh(object *mcfgv1.MachineConfigNode) {
	switch {
	case m.config.Lister == nil:
	case object == nil:
		m.base.observeUnlisted()
	case m.base.isNews(object):
		s, err := writer.FromLister(object, m.config.FieldManager)
		m.base.observeListed(s, object.UID, err)
	}
	m.base.expire(m.config.realClock.Now(), m.config.CheckInterval, m.config.Lister != nil)
}
