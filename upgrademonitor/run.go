package upgrademonitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// retryBackoff paces the attempts to write what is pending. It has no end.
var retryBackoff = wait.Backoff{Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 30 * time.Second}

const (
	// attemptTimeout bounds an attempt of Run and Flush: an API server that takes longer than
	// Config.Timeout for a request is written to in the end.
	attemptTimeout = time.Minute
	// listerInterval is how often Run asks the Lister whether the object is still there.
	listerInterval = 10 * time.Second
)

// Run writes what is pending, with exponential backoff and jitter for as long as it fails,
// until ctx ends; then it returns nil. What is pending when it starts is written too. With a
// Lister, an object that was deleted is created again, with the status that was known of it.
//
// One Run a Monitor is enough, though more do no harm; a daemon that calls none writes what is
// pending with its next call.
func (m *Monitor) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	defer func() {
		if m.isPending() {
			m.wake() // another Run
		}
	}()
	var tick <-chan time.Time
	if m.config.Lister != nil {
		ticker := time.NewTicker(listerInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		for backoff := retryBackoff; m.isPending(); {
			progress, err := m.writePending(ctx)
			if progress {
				backoff = retryBackoff
			}
			if err != nil && !sleep(ctx, backoff.Step()) {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-m.woken:
		case <-tick:
			m.recreate(ctx)
		}
	}
}

// Flush returns nil when everything that was accepted before the call is written. Until then it
// tries to write it, as Run does, for as long as ctx allows; when ctx ends first, it returns an
// ErrPending that wraps the cause. What the API server rejects meanwhile is dropped: its error is
// returned, without ErrPending. Call Flush before a reboot. It does not wait for the spec.
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
	for backoff := retryBackoff; ; {
		progress, err := m.attemptFor(ctx, entries[len(entries)-1].Done)
		if err == nil {
			return m.dropped(entries)
		}
		if progress {
			backoff = retryBackoff
		}
		if !sleep(ctx, backoff.Step()) {
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, err, context.Cause(ctx))
		}
	}
}

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

// attemptFor makes one attempt of Run or Flush. It reports whether it has made progress: then the
// next one need not wait longer.
func (m *Monitor) attemptFor(ctx context.Context, until func() bool) (progress bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, max(attemptTimeout, m.config.Timeout))
	defer cancel()
	return m.attempt(ctx, until)
}

func (m *Monitor) isPending() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.core.Pending() || m.core.SpecPending()
}

var errSpecPending = errors.New("the spec is not written yet")

// writePending makes one attempt at what is pending. The spec follows the node as it is now.
func (m *Monitor) writePending(ctx context.Context) (progress bool, err error) {
	node, _, nodeErr := m.view(ctx)
	m.mu.Lock()
	if m.core.SpecPending() && nodeErr == nil {
		m.core.Follow(node)
	}
	m.mu.Unlock()
	progress, err = m.attemptFor(ctx, func() bool { return !m.core.Pending() && !m.core.SpecPending() })
	if err == nil && m.isPending() {
		err = errSpecPending
	}
	return progress, err
}

// recreate creates an object that is no longer in the Lister again, unless its Node was deleted
// too.
func (m *Monitor) recreate(ctx context.Context) {
	listed := m.listed(ctx)
	m.mu.Lock()
	m.observe(listed)
	deleted := m.core.Deleted()
	m.mu.Unlock()
	if !deleted {
		return
	}
	if _, err := m.viewToCreate(ctx); err == nil {
		_, _ = m.attemptFor(ctx, func() bool { return !m.core.Deleted() })
	}
}
