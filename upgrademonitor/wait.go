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

// submit queues a change, and waits for it. A repeat waits for the last pending entry, and is then
// submitted again. An error that does not wrap ErrPending means that the change was rejected.
func (m *Monitor) submit(ctx context.Context, phase phases.Phase, change plan.Change, v view) error {
	e, isRepeat, err := m.queue(change, v)
	if e == nil {
		return m.rejected(phase, err)
	}
	timeout := time.NewTimer(m.config.Timeout)
	defer timeout.Stop()
	for {
		cause := m.await(ctx, timeout, e)
		switch {
		case cause != nil && (isRepeat || m.abandon(e)):
			return fmt.Errorf("report of %s on node %s: %w: %w", phase, m.config.NodeName, ErrPending, cause)
		case !isRepeat:
			return m.rejected(phase, e.Err())
		}
		if e, isRepeat, err = m.queue(change, v); e == nil {
			return m.rejected(phase, err)
		}
	}
}

// queue submits a change to the core. Without an entry to wait for, it still asks for an attempt in
// an outage. A report does not wait for a spec that has failed before.
func (m *Monitor) queue(change plan.Change, v view) (e *core.Entry, isRepeat bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seeLocked(v)
	e, isRepeat, err = m.core.Submit(change)
	switch {
	case e == nil:
		m.asked = m.asked || m.status.cause != nil
		m.wakeLocked()
	case m.run != nil && m.run.retried != nil:
		m.run.abort()
	}
	return e, isRepeat, err
}

// abandon makes the Monitor log the rejection of an entry, because no call gets the error. It
// returns false if the entry is already settled.
func (m *Monitor) abandon(e *core.Entry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.IsSettled() {
		return false
	}
	e.Abandon()
	return true
}

// GenerateAndApplyMachineConfigNodeSpec makes the spec (pool, desired config and desired image) and
// the owner reference of the MachineConfigNode match the Node. If the object is missing, it is
// created. If nothing differs, no request is made.
//
//  1. If the Node has no desired config, the spec keeps its desired config. If the Node's
//     pool is not known, the spec keeps its pool. In image mode, if the Node has a config but no
//     desired image, the desired image in the spec is cleared.
//  2. The call waits like a report. If the write fails, the call returns an error that wraps
//     ErrPending and the cause, and the write is retried.
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
	timeout := time.NewTimer(m.config.Timeout)
	defer timeout.Stop()
	m.mu.Lock()
	m.seeLocked(v)
	e := m.core.SubmitSpec()
	m.mu.Unlock()
	if e == nil {
		m.wake()
		return nil
	}
	cause := m.await(ctx, timeout, e)
	if cause == nil {
		cause = e.Err()
	}
	if cause != nil {
		return fmt.Errorf("spec of MachineConfigNode %s: %w: %w", m.config.NodeName, ErrPending, cause)
	}
	return nil
}

var errConditionsOnly = field.Forbidden(field.NewPath("upgrademonitor", "Monitors"), "Monitors write only conditions: report this from the daemon of the node")

// await waits until an entry is settled, an attempt fails, timeout fires, or ctx ends. It returns nil
// if the entry is settled, otherwise why it does not wait longer.
//
// During an outage, await does not wait: it asks for an attempt, and returns the cause of the
// outage. After the end of life there are no retries, so await waits for the attempt.
func (m *Monitor) await(ctx context.Context, timeout *time.Timer, e *core.Entry) error {
	m.mu.Lock()
	outage := m.causeLocked(e)
	m.asked = m.asked || outage != nil
	if outage != nil && m.life.Err() == nil {
		m.wakeLocked()
		m.mu.Unlock()
		return outage
	}
	m.waiting++
	m.wakeLocked()
	started := realClock.Now()
	var cause, late error
	for cause == nil && !e.IsSettled() {
		failed := m.status.next()
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
	if e.IsSettled() {
		cause = nil
	}
	m.waiting--
	if cause != nil && late != nil && !m.confirmed.After(started) {
		cause = fmt.Errorf("MachineConfigNode %s: %w within %v", m.config.NodeName, errNoResponse, m.config.Timeout)
		m.failLocked(&m.status, cause, false)
	}
	m.mu.Unlock()
	m.wake()
	return cause
}

// causeLocked returns the cause of the outage that concerns an entry, or nil.
func (m *Monitor) causeLocked(e *core.Entry) error {
	if e.Change == nil {
		return cmp.Or(m.spec.cause, m.status.cause)
	}
	return m.status.cause
}

// Flush returns nil when all reports that were accepted before the call are written, and the status
// has the Node's config and image. Flush looks at the Node, and starts an attempt at once. It waits
// until ctx ends, also during an outage. Then the error wraps ErrPending, the cause and the error of
// ctx. If Config.Node fails, the error wraps ErrPending and a *NodeError.
//
// If the API server rejects a report permanently, Flush drops the report and returns an error that
// does not wrap ErrPending. Flush does not wait for the spec. Call Flush with a deadline before a
// reboot or exit, so that an outage does not prevent a reboot.
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
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cmp.Or(m.status.cause, errNoResponse), ctx.Err())
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

// submitNode looks at the Node, queues its config and image if the status may not have them, and
// returns the pending entries. A controller does not write the config and image.
func (m *Monitor) submitNode() (pending []*core.Entry, err error) {
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seeLocked(v)
	switch {
	case m.conditionsOnly:
	case v.err != nil:
		err = v.err
	default:
		e, repeat, _ := m.core.Submit(plan.NodeChange{Node: v.node, Time: m.now()})
		if e != nil && !repeat {
			e.Abandon()
		}
	}
	return m.core.Entries(), err
}

// flush starts an attempt at once, and waits until an entry is settled or ctx ends. A request that
// started before flush is canceled when it is older than Config.Timeout, because its response may
// be lost. A retry of the spec is canceled at once.
func (m *Monitor) flush(ctx context.Context, e *core.Entry) {
	m.mu.Lock()
	m.waiting++
	m.status.hurry()
	m.asked = true
	switch r := m.run; {
	case r == nil || r.abort == nil:
	case r.retried != nil:
		r.abort()
	default:
		defer time.AfterFunc(m.config.Timeout-realClock.Since(r.started), r.abort).Stop()
	}
	m.wakeLocked()
	m.mu.Unlock()
	select {
	case <-e.Settled:
	case <-ctx.Done():
	}
	m.mu.Lock()
	m.waiting--
	m.mu.Unlock()
	m.wake()
}

func (m *Monitor) now() metav1.Time { return metav1.NewTime(m.config.Clock.Now()) }
