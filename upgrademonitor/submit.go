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

// submit queues a change, and calls await. An error means that the change was rejected.
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
	if repeat { // the entry belongs to an earlier call, which returns the error
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rejected(phase, m.core.Leave(e))
}

// GenerateAndApplyMachineConfigNodeSpec makes the spec (pool, desired config and desired image) and
// the owner reference of the MachineConfigNode match the Node. If the object is missing, it is
// created. If nothing differs, no request is made.
//
//  1. If the Node has no desired config, the spec keeps its desired config. If the Node's
//     pool is not known, the spec keeps its pool. In image mode, if the Node has a config but no
//     desired image, the desired image in the spec is cleared.
//  2. If the write fails or takes longer than Config.Timeout/2, the call returns an error, and the
//     write is retried. For 10 seconds after a failure, further calls return the same error at
//     once. If Config.Node or Config.Pool fails, nothing is written, and the error is a *NodeError.
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
	return fmt.Errorf("MachineConfigNode %s: spec not written yet: %w", m.config.NodeName, cmp.Or(m.spec.cause, m.outage.cause, context.Cause(ctx), errNoResponse))
}

// acceptLocked sets the acceptance time of e, unless e is nil or already has an acceptance time.
func (m *Monitor) acceptLocked(e *core.Entry) {
	if e != nil && e.Accepted.IsZero() {
		e.Accepted = metav1.NewTime(m.config.Clock.Now())
	}
}

// await waits until an entry is settled (written or rejected), ctx ends, or isHopelessLocked
// returns true. During an outage, all callers together wait for at most one Config.Timeout. since
// is the value of writer.requests when the call was made.
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

// isHopelessLocked reports whether a call must stop waiting for e: the writer gave up after a
// request that started after the call, or e is for the spec, whose retry is not due yet.
func (m *Monitor) isHopelessLocked(e *core.Entry, since int) bool {
	return m.writer.failed > since || e.Change == nil && m.spec.cause != nil && realClock.Now().Before(m.spec.after)
}

// leaveLocked stops the writer if m.life and the ctx of this call have ended, and no call waits.
func (m *Monitor) leaveLocked(ctx context.Context) {
	if ctx.Err() == nil || !m.isOverLocked() || m.writer.callers > 0 {
		return
	}
	m.writer.late = false
	if m.writer.cancel != nil {
		m.writer.cancel()
	}
}

// Flush returns nil when the status has the Node's config and image, and all reports that were
// accepted before the call. Flush retries until ctx ends. Then the error wraps ErrPending, the
// cause and the error of ctx. If the API server rejects a report permanently, Flush drops the
// report and returns an error that does not wrap ErrPending. Flush does not wait for the spec. Call
// Flush with a deadline before a reboot or exit, so that an outage does not prevent a reboot.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.followLocked(v)
	entries := m.core.Entries()
	if len(entries) == 0 {
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
