package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

var (
	errLate       = errors.New("not written within Config.Timeout")
	errNoResponse = errors.New("no response from the API server")
)

// submit looks at the Node, queues a change, and waits until it is written, as await describes. If the
// pending changes already include the change, submit waits for the last pending entry, and then submits
// the change again. An error that does not wrap ErrPending means that the change was not accepted,
// or that the API server rejected it.
func (m *Monitor) submit(ctx context.Context, phase phases.Phase, change plan.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v := m.look()
	if v.err != nil {
		return v.err
	}
	change = change.At(v.node)
	started := realClock.Now()
	for {
		e, isRepeat, err := m.queue(change)
		if e == nil {
			return m.rejected(phase, err)
		}
		if cause := m.await(ctx, started, e); cause != nil {
			return fmt.Errorf("report of %s on node %s: %w: %w", phase, m.config.NodeName, ErrPending, cause)
		}
		if !isRepeat {
			return m.rejected(phase, e.Err())
		}
	}
}

// queue submits a change to the core. If the change needs no write, but there is an outage, queue
// starts an attempt. If the change needs a write, queue cancels a retry of the spec that is in flight,
// so that the change need not wait for the retry.
func (m *Monitor) queue(change plan.Change) (e *core.Entry, isRepeat bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, isRepeat, err = m.core.Submit(change)
	switch {
	case e == nil:
		m.wakeLocked(m.status.cause != nil)
	case m.run != nil && m.run.specError != nil:
		m.run.cancelRequest()
	}
	return e, isRepeat, err
}

// GenerateAndApplyMachineConfigNodeSpec makes the spec (pool, desired config and desired image) and
// the owner reference of the MachineConfigNode match the Node. If the MachineConfigNode is missing, it
// is created. If nothing differs, no request is made.
//
//  1. If the Node has no desired config, the spec keeps its desired config. If the pool of the Node is
//     not known, the spec keeps its pool. In image mode, if the Node has a config but no desired
//     image, the desired image in the spec is cleared.
//  2. The call waits like GenerateAndApplyMachineConfigNode. If the write fails, the call returns an
//     error that wraps ErrPending and the cause, and the write is retried.
//  3. If Config.Node or Config.Pool fails, nothing is written, and the error is a *NodeError. In a
//     controller (see Monitors), nothing is written, and the error is a *field.Error.
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
	if m.conditionsOnly {
		return errConditionsOnly
	}
	m.mu.Lock()
	e := m.core.SubmitSpec()
	m.mu.Unlock()
	if e == nil {
		return nil
	}
	cause := m.await(ctx, realClock.Now(), e)
	if cause == nil {
		cause = e.Err()
	}
	if cause != nil {
		return fmt.Errorf("spec of MachineConfigNode %s: %w: %w", m.config.NodeName, ErrPending, cause)
	}
	return nil
}

var errConditionsOnly = field.Forbidden(field.NewPath("upgrademonitor", "Monitors"),
	"Monitors write only conditions: report this from the daemon of the node")

// await waits until an entry is settled, an attempt fails, the call has taken Config.Timeout, or ctx
// ends. If the entry is settled, await returns nil. Otherwise it abandons the entry, and returns the
// reason why the wait has ended.
//
//  1. During an outage, await does not wait: it starts an attempt, and returns the cause of the outage.
//  2. After the ctx of New has ended, await waits for the attempt even during an outage, because there
//     are no retries.
//  3. If the call has taken Config.Timeout, and the API server has not responded since the call
//     started, an outage starts.
func (m *Monitor) await(ctx context.Context, started time.Time, e *core.Entry) error {
	timeout := time.NewTimer(m.config.Timeout - realClock.Since(started))
	defer timeout.Stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting++
	cause := m.causeLocked(e)
	m.wakeLocked(cause != nil)
	if m.life.Err() != nil {
		cause = nil
	}
	var late error
	for cause == nil && !e.IsSettled() {
		failed := m.failed
		m.mu.Unlock()
		select {
		case <-e.Settled:
		case <-failed:
		case <-ctx.Done():
		case <-timeout.C:
			late = errLate
		}
		m.mu.Lock()
		cause = cmp.Or(late, ctx.Err(), m.causeLocked(e))
	}
	m.waiting--
	if !e.IsSettled() && late != nil && !m.lastSuccess.After(started) {
		cause = fmt.Errorf("MachineConfigNode %s: %w within %v", m.config.NodeName, errNoResponse, m.config.Timeout)
		m.failLocked(&m.status, cause)
	}
	m.wakeLocked(false)
	if e.IsSettled() {
		return nil
	}
	e.Abandon()
	return cause
}

// causeLocked returns the cause of the outage that delays an entry, or nil. An outage of the status
// also delays the spec.
func (m *Monitor) causeLocked(e *core.Entry) error {
	if e.Change == nil {
		return cmp.Or(m.spec.cause, m.status.cause)
	}
	return m.status.cause
}

// Flush waits until all reports that were accepted before the call are written. In a daemon, Flush
// also waits until the status has the configs and images of the Node. Call Flush before a reboot or
// exit, with a deadline, so that an unreachable API server does not prevent the reboot.
//
//  1. Flush calls Config.Node, and tries to write at once. It does not wait for the spec.
//  2. If writes fail, Flush waits until a retry succeeds or ctx ends. If ctx ends, the error wraps
//     ErrPending, the cause and the error of ctx.
//  3. If all reports are written, but Config.Node fails, the error wraps ErrPending and a
//     *NodeError. In a controller (see Monitors), Flush ignores a failure of Config.Node.
//  4. If the API server rejects a report permanently, the report is dropped, and Flush returns an error
//     that does not wrap ErrPending.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	entries, nodeErr := m.submitNode()
	if len(entries) > 0 && ctx.Err() == nil {
		m.flush(ctx, entries[len(entries)-1])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, e := range entries {
		if !e.IsSettled() {
			cause := cmp.Or(m.status.cause, errNoResponse)
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cause, ctx.Err())
		}
		if err := e.Dropped(); err != nil {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, err))
		}
	}
	if nodeErr != nil {
		errs = append(errs, fmt.Errorf("MachineConfigNode %s: flush: %w: %w", m.config.NodeName, ErrPending, nodeErr))
	}
	return errors.Join(errs...)
}

// submitNode looks at the Node, and returns the pending entries. In a daemon, it first queues the
// configs and images of the Node, unless the status already has them.
func (m *Monitor) submitNode() (pending []*core.Entry, err error) {
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.conditionsOnly:
	case v.err != nil:
		err = v.err
	default:
		_, _, _ = m.core.Submit(plan.NodeChange{Node: v.node, Time: m.now()})
	}
	return m.core.Entries(), err
}

// flush starts an attempt at once, and waits until an entry is settled or ctx ends. If a request is in
// flight, flush cancels it when it is older than Config.Timeout, because its response may be lost. But
// flush cancels a retry of the spec at once.
func (m *Monitor) flush(ctx context.Context, e *core.Entry) {
	m.mu.Lock()
	m.waiting++
	m.status.retryNow()
	switch r := m.run; {
	case r == nil || r.cancelRequest == nil:
	case r.specError != nil:
		r.cancelRequest()
	default:
		defer time.AfterFunc(m.config.Timeout-realClock.Since(r.started), r.cancelRequest).Stop()
	}
	m.wakeLocked(false)
	m.mu.Unlock()
	select {
	case <-e.Settled:
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting--
	m.wakeLocked(false)
}

func (m *Monitor) now() metav1.Time { return metav1.NewTime(m.config.Clock.Now()) }
