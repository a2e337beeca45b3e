package upgrademonitor

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// retryBackoff paces the attempts to write what is pending.
var retryBackoff = wait.Backoff{Steps: 1 << 30, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 30 * time.Second}

// Run writes what is pending, with exponential backoff and jitter for as long as it fails,
// until ctx ends; then it returns nil. One Run a Monitor is enough, and a daemon that
// calls none writes what is pending with its next call.
func (m *Monitor) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-m.left:
			_ = m.Flush(ctx) // it fails only when ctx has ended
		}
	}
}

// Flush returns nil when nothing is pending. Until then it tries to write it, as Run does,
// for as long as ctx allows; when ctx ends first, it returns an ErrPending that wraps the
// cause. Call it before a reboot.
func (m *Monitor) Flush(ctx context.Context) error {
	backoff := retryBackoff
	for {
		err := m.flush(ctx)
		if err == nil {
			return nil
		}
		klog.FromContext(ctx).V(2).Info("Could not write what is pending, will try again", "node", m.config.NodeName, "err", err)
		timer := time.NewTimer(backoff.Step())
		select {
		case <-ctx.Done():
			timer.Stop()
			return m.pendingError(ctx, "flush", err)
		case <-timer.C:
		}
	}
}

// flush makes one attempt at the queue.
func (m *Monitor) flush(ctx context.Context) error {
	if m.head() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()
	select {
	case m.writing <- struct{}{}:
		return m.hold(func() error { return m.drain(ctx, nil) })
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
