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
	errLate       = errors.New("not written within Config.Timeout")
	errNoResponse = errors.New("no response from the API server within Config.Timeout")
	errWaiting    = errors.New("no response from the API server yet")
	errController = field.Forbidden(field.NewPath("upgrademonitor", "Monitors"),
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
//
// Why it does not wait in an outage: an update makes more than ten reports. Each of them would delay it by
// Config.Timeout, and an outage must not make an update minutes longer.
func (m *Monitor) awaitLocked(ctx context.Context, timeout <-chan time.Time, e *planner.Entry) error {
	m.waiting++
	cause := m.outage
	m.wakeLocked(cause != nil)
	if m.life.Err() != nil {
		cause = nil
	}
	for cause == nil && !e.IsSettled {
		late := m.waitLocked(ctx, timeout, e)
		cause = cmp.Or(ctx.Err(), m.outage, late)
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

// flushLocked starts an attempt at once, and waits until the entries are settled or ctx ends.
//
// Why it cancels a request: when a load balancer drops a connection, a request has no response until its own timeout.
// A daemon that is about to reboot has only its deadline. But a second request is not canceled: otherwise a server that
// is only slow would never be written to.
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
