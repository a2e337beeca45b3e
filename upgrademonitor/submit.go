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

// submit accepts or rejects the change of a report, and waits until it is written: see await.
func (m *Monitor) submit(ctx context.Context, phase phases.Phase, change plan.Change, v view) error {
	m.mu.Lock()
	m.seeLocked(v)
	e, repeat, err := m.core.Submit(change)
	m.acceptLocked(e)
	if m.core.Pending() { // every call triggers an attempt, even a repeated report
		m.startLocked()
	}
	since := m.writer.requests
	m.mu.Unlock()
	if e == nil {
		return m.rejected(phase, err)
	}
	m.await(ctx, e, since)
	if repeat { // the entry belongs to another call, which returns its error
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rejected(phase, m.core.Leave(e))
}

// GenerateAndApplyMachineConfigNodeSpec updates the object's spec (pool, desired config and desired
// image) and owner reference to match the Node. If the object is missing, it is created. If the
// spec is in sync, no request is made.
//
//  1. If the Node has no desired config, or the pool is NotYetSet, the value in the spec stays. In
//     image mode, if the Node has a config but no desired image, the desired image is cleared.
//  2. If the write fails, or takes half of Config.Timeout, the call returns an error, and the write
//     is retried. For 10 seconds after a failure, further calls return the same error at once. If
//     Config.Node or Config.Pool fails, the error is a *NodeError, and nothing is written.
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

// acceptLocked sets the acceptance time of a new entry. e may be nil, or an earlier entry.
func (m *Monitor) acceptLocked(e *core.Entry) {
	if e != nil && e.Accepted.IsZero() {
		e.Accepted = metav1.NewTime(m.config.Clock.Now())
	}
}

// await waits until an entry is settled, ctx ends, or isHopelessLocked is true. During an outage,
// all callers share one Config.Timeout. since is the number of the last request before the call.
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

// isHopelessLocked reports whether it is useless to wait longer for an entry: an attempt that
// started after the call has failed, or the entry is for the spec, whose last write has failed.
func (m *Monitor) isHopelessLocked(e *core.Entry, since int) bool {
	return m.writer.failed > since || e.Change == nil && m.spec.cause != nil && realClock.Now().Before(m.spec.after)
}

// leaveLocked stops a writer that still runs after life, once the ctx of its last caller has ended.
func (m *Monitor) leaveLocked(ctx context.Context) {
	if ctx.Err() == nil || !m.isOverLocked() || m.writer.callers > 0 {
		return
	}
	m.writer.late = false
	if m.writer.cancel != nil {
		m.writer.cancel()
	}
}

// Flush returns nil when all reports that were accepted before the call, and the current versions
// of the Node, are written. It retries with backoff until ctx ends, and then returns an error that
// wraps ErrPending, the cause and the error of ctx. If the API server rejects a report, the report
// is dropped, and Flush returns its error, without ErrPending. Flush does not wait for the spec.
//
// Call Flush before a reboot or exit, with a deadline: an outage must not prevent the reboot.
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
		m.outage.hurry()
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
