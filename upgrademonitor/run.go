package upgrademonitor

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// retryBackoff paces the attempts to write what is pending.
var retryBackoff = wait.Backoff{Steps: 1 << 30, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 30 * time.Second}

// maxAttempt bounds one attempt of Run and Flush. It begins at Config.Timeout, and is longer
// after an attempt that ran out of it, so that a server that is slower is written to in the end.
const maxAttempt = 10 * time.Minute

// listerInterval is how often Run asks the Lister whether the object is still there.
var listerInterval = 10 * time.Second

// Run writes what is pending, with exponential backoff and jitter for as long as it fails,
// until ctx ends; then it returns nil. What is pending when it starts is written too. With a
// Lister, an object that was deleted is created again, with what was last known of it.
//
// One Run a Monitor is enough, though more do no harm; a daemon that calls none writes what is
// pending with its next call.
func (m *Monitor) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	defer func() {
		if m.store.head() != nil {
			m.wake() // another Run, which may sleep
		}
	}()
	var listed <-chan time.Time
	if m.config.Lister != nil {
		ticker := m.config.timers.NewTicker(listerInterval)
		defer ticker.Stop()
		listed = ticker.C()
	}
	for {
		_ = m.Flush(ctx) // it fails only when ctx has ended
		select {
		case <-ctx.Done():
			return nil
		case <-m.woken:
		case <-listed:
			m.heal(ctx)
		}
	}
}

// Flush returns nil when nothing is pending. Until then it tries to write it, as Run does,
// for as long as ctx allows; when ctx ends first, it returns an ErrPending that wraps the
// cause. Call it before a reboot.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	backoff, timeout := retryBackoff, m.config.Timeout
	for {
		err := m.flush(ctx, timeout)
		if err == nil {
			return nil
		}
		timeout = longer(timeout, err)
		timer := m.config.timers.NewTimer(backoff.Step())
		select {
		case <-ctx.Done():
			timer.Stop()
			return m.pendingError(ctx, "flush", err)
		case <-timer.C():
		}
	}
}

// flush makes one attempt at the queue.
func (m *Monitor) flush(ctx context.Context, timeout time.Duration) error {
	if m.store.head() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return m.drainUntil(ctx, nil)
}

// longer returns the bound of the next attempt after one that ended with an error.
func longer(timeout time.Duration, err error) time.Duration {
	if errors.Is(err, context.DeadlineExceeded) {
		return min(2*timeout, max(timeout, maxAttempt))
	}
	return timeout
}

// heal recreates an object that is no longer in the Lister, unless its Node was
// deleted too.
func (m *Monitor) heal(ctx context.Context) {
	if !m.store.isGone(m.listed(ctx)) {
		return
	}
	if _, err := m.provisionedNode(); err != nil {
		if !apierrors.IsNotFound(err) {
			m.logFailure(ctx, err, "Failed to recreate the MachineConfigNode, retrying", "node", m.config.NodeName)
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	err := m.withTurn(func() error { return m.recreate(ctx) })
	if err != nil {
		m.logFailure(ctx, m.denied(err), "Failed to recreate the MachineConfigNode, retrying", "node", m.config.NodeName)
		return
	}
	m.failures.Recovered(ctx, "Writing the MachineConfigNode works again", "node", m.config.NodeName)
}
