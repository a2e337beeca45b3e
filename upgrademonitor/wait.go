package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

var (
	errLate           = errors.New("not written within Config.Timeout")
	errNoResponse     = errors.New("no response from the API server within Config.Timeout")
	errWaiting        = errors.New("no response from the API server yet")
	errConditionsOnly = field.Forbidden(field.NewPath("upgrademonitor", "Monitors"),
		"Monitors write only conditions: report this from the daemon of the node")
)

// submit looks at the Node, queues a change, and waits until it is written, as awaitLocked describes. An
// error that does not wrap ErrPending means that the change was not accepted, or that it was rejected.
func (m *Monitor) submit(ctx context.Context, change planner.Change) error {
	err := m.trySubmit(ctx, change)
	if err == nil || errors.Is(err, ErrPending) {
		m.logged.Changed(noUpdateFailure, "")
	}
	return err
}

func (m *Monitor) trySubmit(ctx context.Context, change planner.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	change.Time = m.now()
	if err := m.look(); err != nil {
		return err
	}
	timeout := time.NewTimer(m.config.Timeout)
	defer timeout.Stop()
	m.mu.Lock()
	defer m.unlock()
	e, err := m.core.Submit(change, m.view.node)
	if e == nil {
		m.wakeLocked(m.cause != nil)
		return m.rejected(change, err)
	}
	if cause := m.awaitLocked(ctx, timeout.C, e); cause != nil {
		e.Abandoned = true
		return fmt.Errorf("MachineConfigNode %s: %s: %w: %w", m.config.NodeName, change, ErrPending, cause)
	}
	return m.rejected(change, e.Err)
}

// awaitLocked waits until an entry is settled, an attempt fails, the call times out, or ctx ends. If the
// entry is settled, it returns nil. Otherwise it returns the reason why the wait has ended.
//
//  1. During an outage, it does not wait, but starts an attempt.
//  2. After the ctx of New has ended, it waits for the attempt even during an outage, because there are
//     no retries.
func (m *Monitor) awaitLocked(ctx context.Context, timeout <-chan time.Time, e *planner.Entry) error {
	m.waiting++
	cause := m.cause
	m.wakeLocked(cause != nil)
	if m.life.Err() != nil {
		cause = nil
	}
	for cause == nil && !e.IsSettled {
		late := m.waitLocked(ctx, timeout, e)
		m.failOverdueLocked()
		cause = cmp.Or(ctx.Err(), m.cause, late)
	}
	m.waiting--
	m.wakeLocked(false)
	if e.IsSettled {
		return nil
	}
	return cause
}

// waitLocked releases mu until the entry is settled, an attempt fails, or ctx ends. It returns errLate if the
// timeout fires first.
func (m *Monitor) waitLocked(ctx context.Context, timeout <-chan time.Time, e *planner.Entry) error {
	failed := m.failed
	m.mu.Unlock()
	defer m.mu.Lock()
	select {
	case <-e.Settled:
	case <-failed:
	case <-ctx.Done():
	case <-timeout:
		return errLate
	}
	return nil
}

// Flush waits until all reports that were accepted before the call are written. In a daemon, Flush
// also waits until the status has the configs and images of the Node. Call Flush before a reboot or
// exit, with a deadline, so that an unreachable API server does not prevent the reboot.
//
//  1. Flush calls Config.Node, and tries to write at once. If a request has no response within
//     Config.Timeout, Flush cancels it, because the response may be lost, and tries again. This second
//     attempt is not canceled, because the API server may be slow.
//  2. If writes fail, Flush waits until a retry succeeds or ctx ends. If ctx ends, the error wraps
//     ErrPending, the cause and the error of ctx.
//  3. If all reports are written, but Config.Node fails, the error wraps ErrPending and the cause. In a
//     controller (see Monitors), Flush ignores a failure of Config.Node.
//  4. If the API server rejects a report permanently, the report is dropped, and Flush returns an error
//     that does not wrap ErrPending.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	nodeErr := m.look()
	m.mu.Lock()
	defer m.unlock()
	switch {
	case m.isController():
		nodeErr = nil
	case nodeErr == nil:
		m.core.SubmitNode(m.view.node, m.now())
	}
	entries := m.core.Entries()
	if ctx.Err() == nil {
		m.flushLocked(ctx, entries)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsSettled {
			cause := cmp.Or(m.cause, errWaiting)
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cause, ctx.Err())
		}
		if e.Err != nil {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, e.Err))
		}
	}
	if nodeErr != nil {
		errs = append(errs, fmt.Errorf("MachineConfigNode %s: flush: %w: %w", m.config.NodeName, ErrPending, nodeErr))
	}
	return errors.Join(errs...)
}

// flushLocked starts an attempt at once, and waits until the entries are settled or ctx ends.
func (m *Monitor) flushLocked(ctx context.Context, entries []*planner.Entry) {
	m.waiting++
	m.retryNowLocked()
	m.wakeLocked(false)
	for _, e := range entries {
		for !e.IsSettled && ctx.Err() == nil {
			if m.isOverdueLocked() && !m.canceled {
				m.canceled = true
				m.attempt.cancel()
			}
			_ = m.waitLocked(ctx, nil, e)
		}
	}
	m.waiting--
	m.wakeLocked(false)
}
