package upgrademonitor

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// submit accepts an intent or refuses it, then has it written.
func (m *Monitor) submit(ctx context.Context, in plan.Intent) error {
	called := m.config.realClock.Now()
	e, err := m.store.accept(in, m.listed(ctx))
	m.inspect()
	if e == nil && err == nil {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, m.config.Timeout-m.config.realClock.Since(called))
	defer cancel()
	for errors.Is(err, pending.ErrFull) && m.makeRoom(bounded) {
		e, err = m.store.accept(in, m.listed(ctx))
	}
	if errors.Is(err, pending.ErrFull) {
		_ = m.drainUntil(bounded, nil) // the API server may be back: there is room then
		e, err = m.store.accept(in, m.listed(ctx))
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

// makeRoom compacts a full queue until it accepts something. It reports whether it does: not where
// nothing is left to compact, or ctx has ended.
func (m *Monitor) makeRoom(ctx context.Context) bool {
	m.compacting.Lock()
	defer m.compacting.Unlock()
	for m.store.isFull() {
		if ctx.Err() != nil || !m.store.compact() {
			return false
		}
	}
	return true
}
