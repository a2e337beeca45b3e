package upgrademonitor

import (
	"context"
	"errors"

	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
)

// await writes what is queued, up to and with the entry, or waits for another goroutine
// that does. It returns by the end of ctx.
func (m *Monitor) await(ctx context.Context, e *pending.Entry) (err error) {
	finished := false
	defer func() { // a function of Config may panic: the entry is pending all the same
		if !finished {
			m.abandon(e)
		}
	}()
	var cause error
	select {
	case m.turn <- struct{}{}:
		cause = m.withTurn(func() error { return m.drain(ctx, e) })
	case <-e.Done():
	case <-ctx.Done():
	}
	if finished = m.abandon(e); finished {
		return e.Err()
	}
	finished = true // as far as this call is concerned
	return m.pendingError(ctx, e.String(), cause)
}

// withTurn releases the turn when the work is done, even if a function of Config panics.
func (m *Monitor) withTurn(work func() error) error {
	defer func() { <-m.turn }()
	return work()
}

// drainUntil makes one attempt at what is queued, up to and with the entry, or at all of it (nil),
// once it is this goroutine's turn.
func (m *Monitor) drainUntil(ctx context.Context, until *pending.Entry) error {
	select {
	case m.turn <- struct{}{}:
		return m.withTurn(func() error { return m.drain(ctx, until) })
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// compactionsPerWrite is how much of a long queue is compacted before each write: of little cost
// next to the request, and more than is written.
const compactionsPerWrite = 16

// drain writes the queue in order, until the entry is done; nil stands for all of it. It
// returns the error that stopped it, and leaves in the queue what is not written.
//
// What concerns the spec does not stop it, if the status can be written: then it is deferred. Else
// the order stays. Callers hold m.turn.
func (m *Monitor) drain(ctx context.Context, until *pending.Entry) error {
	var skipped *pending.Entry // a spec that failed; whether the status fails too is not known yet
	for {
		for i := 0; i < compactionsPerWrite && m.store.compact(); i++ {
		}
		e := m.store.head()
		if e == nil {
			return nil
		}
		err := m.writeInTime(ctx, e, until)
		switch {
		case err == nil:
			skipped = nil
			if !m.store.othersDeferred(e) {
				m.failures.Recovered(ctx, "Writing the MachineConfigNode works again", "node", m.config.NodeName)
			}
		case !isTerminal(err):
			m.logFailure(ctx, err, "Failed to write the MachineConfigNode, retrying", "node", m.config.NodeName, "change", e.String())
			if skipped == nil && e != until && ctx.Err() == nil && e.IsSpec() && !m.store.isDeferred(e) {
				skipped = e
				m.store.setDeferred(e, true)
				continue
			}
			if skipped != nil && !e.IsSpec() {
				m.store.setDeferred(skipped, false)
			}
			return err
		}
		if callerWaits := m.store.finish(e, err); err != nil && !callerWaits {
			klog.FromContext(ctx).Error(err, "Dropped an accepted change that cannot be written", "node", m.config.NodeName, "change", e.String())
		}
		if e == until {
			return nil
		}
	}
}

// logFailure logs what keeps the queue from being written; that its caller has given up is no
// failure.
func (m *Monitor) logFailure(ctx context.Context, err error, message string, keysAndValues ...any) {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		m.failures.Failed(ctx, err, message, keysAndValues...)
	}
}

// abandon ends the wait for an entry. It reports whether the entry is finished; if it is
// not, it is for Run to write it.
func (m *Monitor) abandon(e *pending.Entry) (finished bool) {
	finished = m.store.abandon(e)
	if !finished {
		m.wake()
	}
	return finished
}

// pendingError returns the error of something that is not written, because of the cause, or because ctx has
// ended before anything was tried.
func (m *Monitor) pendingError(ctx context.Context, what string, cause error) error {
	e := &pendingError{nodeName: m.config.NodeName, what: what}
	if cause != nil {
		e.causes = append(e.causes, cause)
	}
	if err := ctx.Err(); err != nil && !errors.Is(cause, err) {
		e.causes = append(e.causes, err)
	}
	return e
}
