package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
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
	m.backoff, m.retryAt = retryBackoff, time.Time{} // at once, whatever has failed before
	m.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	last := entries[len(entries)-1]
	running, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		m.await(running, last, new(time.Timer), func(*Monitor) bool { return false })
		stop()
	}()
	_ = m.Run(running) // here, as it calls functions of Config
	m.mu.Lock()
	defer m.mu.Unlock()
	if !last.Done() {
		return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cmp.Or(m.cause, errNoAnswer), context.Cause(ctx))
	}
	var errs []error
	for _, e := range entries {
		if err := e.Dropped(); err != nil {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, err))
		}
	}
	return errors.Join(errs...)
}

var errNoAnswer = errors.New("the API server has not answered yet")
