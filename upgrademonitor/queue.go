package upgrademonitor

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/klog/v2"
)

// intent is something that was said and shall become true of the object: a report, or
// the spec.
type intent interface {
	fmt.Stringer
	// plan returns what makes it true, or says why it is refused. It is pure but for what
	// it decides once; callers hold Monitor.mu.
	plan(state) (plan, error)
	// observed is what the node said when the intent was accepted.
	observed() versions
	// refused is the error of a refusal.
	refused(error) error
}

// entry is an intent in the queue. Its done is closed when it was written or dropped, and
// err says which.
type entry struct {
	intent
	done chan struct{}
	err  error
	left bool // the caller that waited is gone
}

// submit accepts an intent or refuses it, then sees to it that it is written.
func (m *Monitor) submit(ctx context.Context, in intent) error {
	e, err := m.accept(in)
	if err != nil || e == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()
	return m.await(ctx, e)
}

// accept decides what can be decided without a request. It returns the entry to wait for,
// nil where there is nothing to write.
//
// What the Monitor knows is enough as long as the node says what it said at the last write
// or read. Else another process may have begun or ended an update, and what looks like a
// refusal or a repeat is queued, to be decided after a read.
func (m *Monitor) accept(in intent) (*entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.predict(); ok && m.hasSeen(in) {
		p, err := in.plan(s)
		switch {
		case err != nil:
			return nil, in.refused(err)
		case len(p.writes) == 0 && len(m.queue) == 0 && !m.doubted:
			m.begun = p.begun
			return nil, nil
		case len(p.writes) == 0 && m.shows(in):
			return nil, nil
		}
		within(in, s)
	}
	if m.queue = thinned(m.queue); pending(m.queue) >= maxPending {
		return nil, fmt.Errorf("MachineConfigNode %s: %s: %w", m.config.NodeName, in, ErrTooMuchPending)
	}
	e := &entry{intent: in, done: make(chan struct{})}
	m.queue = append(m.queue, e)
	return e, nil
}

// predict returns the state that the object will have when the queue is written, and
// whether that is known. Callers hold m.mu.
func (m *Monitor) predict() (state, bool) {
	s, ok := m.known()
	if !ok {
		return s, false
	}
	for _, e := range m.queue {
		if p, err := e.plan(s); err == nil {
			s = p.last()
		}
	}
	return s, true
}

// shows reports whether the object as it is known, whatever is queued, says what the intent
// says. Callers hold m.mu.
func (m *Monitor) shows(in intent) bool {
	s, ok := m.known()
	if !ok || m.doubted {
		return false
	}
	p, err := in.plan(s)
	return err == nil && len(p.writes) == 0
}

// await writes what is queued, up to and with the entry, or waits for another goroutine
// that does. It returns by the end of ctx.
func (m *Monitor) await(ctx context.Context, e *entry) error {
	var cause error
	select {
	case m.writing <- struct{}{}:
		cause = m.hold(func() error { return m.drain(ctx, e) })
	case <-e.done:
	case <-ctx.Done():
	}
	if m.leave(e) {
		return e.err
	}
	return m.pendingError(ctx, e.String(), cause)
}

// hold gives m.writing back when the work is done, even if a function of Config panics.
func (m *Monitor) hold(work func() error) error {
	defer func() { <-m.writing }()
	return work()
}

// pendingError says that something is not written, because of the cause, or because ctx has
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

// drain writes the queue in order, until the entry is done; nil stands for all of it. It
// returns the error that stopped it, and leaves in the queue what is not written.
// Callers hold m.writing.
func (m *Monitor) drain(ctx context.Context, until *entry) error {
	for {
		e := m.head()
		if e == nil {
			return nil
		}
		err := m.write(ctx, e.intent)
		if err != nil && !final(err) {
			return err
		}
		if heard := m.finish(e, err); err != nil && !heard {
			klog.FromContext(ctx).Error(err, "Dropped what was accepted and cannot be written", "node", m.config.NodeName, "what", e.String())
		}
		if e == until {
			return nil
		}
	}
}

func (m *Monitor) head() *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil
	}
	return m.queue[0]
}

// finish takes the head off the queue. It reports whether its caller hears of the error.
func (m *Monitor) finish(e *entry, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue[0] = nil
	m.queue = m.queue[1:]
	var r refusal
	if errors.As(err, &r) {
		err = r.error
	}
	e.err = err
	close(e.done)
	return !e.left
}

// leave ends the wait for an entry. It reports whether the entry is done; if it is not,
// its caller will not hear of it, and it is for Run to see to.
func (m *Monitor) leave(e *entry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-e.done:
		return true
	default:
	}
	e.left = true
	m.onPending()
	return false
}
