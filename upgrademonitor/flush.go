package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// Flush returns nil when everything that was accepted before the call is written. Until then it
// tries to write it, as Run does, for as long as ctx allows; when ctx ends first, it returns an
// ErrPending that wraps the cause. What the API server rejects meanwhile is dropped: its error is
// returned, without ErrPending. It does not wait for the spec.
//
// Call Flush before a reboot, with a ctx that ends: an API server that is down must not keep the node
// from rebooting.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	entries := m.core.Entries()
	m.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	last := entries[len(entries)-1]
	for backoff := retryBackoff; ; {
		node, _, viewErr := m.view(ctx)
		m.mu.Lock()
		if viewErr == nil {
			m.core.Look(node)
		}
		if !last.Done() && ctx.Err() == nil {
			m.start(ctx)
		}
		m.mu.Unlock()
		m.await(ctx, last, new(time.Timer), func(m *Monitor) bool { return !m.writing })
		m.mu.Lock()
		done, failing, cause := last.Done(), m.failing, m.cause
		m.mu.Unlock()
		switch {
		case done:
			return m.dropped(entries)
		case ctx.Err() != nil:
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cmp.Or(cause, errNoAnswer), context.Cause(ctx))
		case !failing:
			backoff = retryBackoff
		}
		pause := time.NewTimer(backoff.Step())
		m.await(ctx, last, pause, func(*Monitor) bool { return false })
		pause.Stop()
	}
}

var errNoAnswer = errors.New("the API server has not answered yet")

// dropped returns the errors of the entries that were dropped.
func (m *Monitor) dropped(entries []*core.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, e := range entries {
		if err := e.Dropped(); err != nil {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, err))
		}
	}
	return errors.Join(errs...)
}
