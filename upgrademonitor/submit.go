package upgrademonitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// submit accepts a change, or rejects it, and waits until it is written, for as long as ctx and
// Config.Timeout allow. What is not written by then is for Run, or the next call.
func (m *Monitor) submit(ctx context.Context, change plan.Change) error {
	e, head, err := m.accept(ctx, change)
	if e == nil && head == nil {
		return m.reject(change, err)
	}
	timeout := time.NewTimer(m.config.Timeout)
	defer timeout.Stop()
	if head != nil { // the queue is full; the API server may be back
		m.await(ctx, head, timeout, (*Monitor).isInVain)
		e, _, err = m.accept(ctx, change)
	}
	if e != nil {
		m.await(ctx, e, timeout, (*Monitor).isInVain)
		m.mu.Lock()
		defer m.mu.Unlock()
		_, err = m.core.Leave(e)
	}
	return m.reject(change, err)
}

// accept returns the entry of a change, nil if it is true already or rejected. If the queue is full it
// returns the first entry of that.
func (m *Monitor) accept(ctx context.Context, change plan.Change) (e, head *core.Entry, err error) {
	listed := m.listed(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observe(listed)
	e, err = m.enqueue(change, m.isOld(listed))
	if errors.Is(err, core.ErrFull) {
		head = m.core.Entries()[0]
	}
	if m.core.Pending() { // a change that is true already has no entry, and what is pending is tried all the same
		m.start(ctx)
	}
	return e, head, err
}

// enqueue has a change pending. One that joins an entry is accepted when that was. It is called with m.mu
// held.
func (m *Monitor) enqueue(change plan.Change, check bool) (*core.Entry, error) {
	e, err := m.core.Submit(change, check)
	if e != nil && e.Accepted.IsZero() {
		e.Accepted = metav1.NewTime(m.config.Clock.Now())
	}
	return e, err
}

// reject returns the error of a change that is not accepted, or nil.
func (m *Monitor) reject(change plan.Change, err error) error {
	r, isReport := change.(plan.PhaseChange)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, core.ErrFull):
		return fmt.Errorf("MachineConfigNode %s: %s: %w", m.config.NodeName, change, ErrQueueFull)
	case isReport:
		return m.rejected(r.Phase, err)
	default:
		return m.rejected(phases.PinnedImageSetsProgressing, err)
	}
}
