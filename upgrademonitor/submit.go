package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// submit accepts the change of a report on a phase, or rejects it, and waits until it is written: see
// await.
func (m *Monitor) submit(ctx context.Context, phase phases.Phase, change plan.Change, v view) error {
	m.mu.Lock()
	m.seeLocked(v)
	e, repeat, err := m.core.Submit(change)
	m.acceptLocked(e)
	if m.core.Pending() { // every call triggers an attempt, even a call that changes nothing
		m.startLocked()
	}
	since := m.writer.requests
	m.mu.Unlock()
	if e == nil {
		return m.rejected(phase, err)
	}
	m.await(ctx, e, since)
	if repeat { // the entry, and its error, are another call's
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rejected(phase, m.core.Leave(e))
}

// GenerateAndApplyMachineConfigNodeSpec brings the object's spec and owner reference in sync with the
// Node: its pool, desired config and desired image. The object is created if it is missing.
//
//  1. If the Node names no desired config, or the pool is NotYetSet, the value in the spec stays. In
//     image mode, an image that the Node does not name is cleared, if the Node names a config.
//  2. A spec that is in sync needs no request.
//  3. The error is why the spec could not be written now: the write is retried. A write has half of
//     Config.Timeout; for 10 seconds after a failure, calls return its error at once. If Config.Node
//     or Config.Pool fails, the error is a *NodeError, and nothing is written.
func (m *Monitor) GenerateAndApplyMachineConfigNodeSpec(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	v := m.look()
	if err := cmp.Or(v.err, v.poolErr); err != nil {
		return err
	}
	m.mu.Lock()
	m.seeLocked(v)
	e := m.core.SubmitSpec()
	if m.core.Pending() || m.core.SpecPending() {
		m.startLocked()
	}
	since := m.writer.requests
	m.mu.Unlock()
	if e == nil {
		return nil
	}
	m.await(ctx, e, since)
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.IsSettled() {
		return nil
	}
	return fmt.Errorf("spec of the MachineConfigNode not written yet: %w", cmp.Or(m.spec.cause, m.outage.cause, context.Cause(ctx), errNoResponse))
}

// acceptLocked sets the time of an entry, unless the change has joined an earlier entry.
func (m *Monitor) acceptLocked(e *core.Entry) {
	if e != nil && e.Accepted.IsZero() {
		e.Accepted = metav1.NewTime(m.config.Clock.Now())
	}
}

// await waits until an entry is settled, an attempt that started after the request with the number
// since has failed, the spec has failed if the entry is the spec's, ctx ends, or the callers of this
// outage have waited for Config.Timeout together.
func (m *Monitor) await(ctx context.Context, e *core.Entry, since int) {
	now := realClock.Now()
	m.mu.Lock()
	if m.writer.callers++; m.writer.callers == 1 {
		m.outage.since = now
	}
	timeout := time.NewTimer(m.config.Timeout - m.outage.waited - now.Sub(m.outage.since))
	defer timeout.Stop()
	isLate := false
	for waits := true; waits && !m.isHopelessLocked(e, since); {
		if m.writer.changed == nil {
			m.writer.changed = make(chan struct{})
		}
		changed := m.writer.changed
		m.mu.Unlock()
		waits = false
		select {
		case <-e.Settled:
		case <-ctx.Done():
		case <-timeout.C:
			isLate = true
		case <-changed:
			waits = true
		}
		m.mu.Lock()
	}
	now = realClock.Now()
	if m.writer.callers--; m.writer.callers == 0 {
		m.outage.waited += now.Sub(m.outage.since)
	}
	var hangs error
	if isLate && m.writer.running && m.outage.cause == nil && now.Sub(m.writer.started) >= m.config.Timeout {
		hangs = fmt.Errorf("MachineConfigNode %s: %w after %v", m.config.NodeName, errNoResponse, m.config.Timeout)
		m.outage.cause = hangs
	}
	m.leaveLocked(ctx)
	m.mu.Unlock()
	m.failures.Failed(m.life, statusFailure, hangs, statusFailure+", retrying")
}

// isHopelessLocked reports whether a call has no reason to wait any longer, though its entry is not
// settled.
func (m *Monitor) isHopelessLocked(e *core.Entry, since int) bool {
	return m.writer.failed > since || e.Change == nil && m.spec.cause != nil && realClock.Now().Before(m.spec.after)
}

// leaveLocked ends the current request if the ctx of its last caller has ended after the life of the
// Monitor.
func (m *Monitor) leaveLocked(ctx context.Context) {
	if ctx.Err() != nil && m.isOverLocked() && m.writer.callers == 0 && m.writer.cancel != nil {
		m.writer.cancel()
	}
}

// Flush returns nil when everything accepted before the call is written, and the versions that the
// Node has now. It retries with backoff until ctx ends; then it returns an error that wraps
// ErrPending, the cause and the error of ctx. A report that the API server rejects meanwhile is
// dropped: its error is returned, without ErrPending. Flush does not wait for the spec.
//
// Call it before a reboot and before the process exits, with a ctx that ends: an API server that is
// down must not keep the node from rebooting.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	v := m.look()
	m.mu.Lock()
	m.followLocked(v)
	entries := m.core.Entries()
	if len(entries) == 0 {
		m.mu.Unlock()
		return nil
	}
	last := entries[len(entries)-1]
	if ctx.Err() == nil {
		m.outage.backoff, m.outage.retryAt = retryBackoff, time.Time{}
		m.writer.flushes++
		m.startLocked()
		m.mu.Unlock()
		select {
		case <-last.Settled:
		case <-ctx.Done():
		}
		m.mu.Lock()
		m.writer.flushes--
		m.scheduleLocked()
		m.leaveLocked(ctx)
	}
	defer m.mu.Unlock()
	if !last.IsSettled() {
		return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cmp.Or(m.outage.cause, errNoResponse), context.Cause(ctx))
	}
	var errs []error
	for _, e := range entries {
		if err := e.Dropped(); err != nil {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, err))
		}
	}
	return errors.Join(errs...)
}
