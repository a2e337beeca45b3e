package upgrademonitor

import (
	"context"
	"errors"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// lookInterval is how often Run looks at the Node, and asks the Lister whether the object is still
// there.
const lookInterval = 10 * time.Second

// Run writes what is pending, with exponential backoff and jitter for as long as it fails, until
// ctx ends; then it returns nil. What is pending when it starts is written too.
//
// Every 10 s it looks at the Node: once the Monitor has read the object, for a report or for the spec, the
// versions in the status follow the Node without a report, as the daemon's view may have been behind when it
// reported Updated=True. With a Lister, an object that was deleted is created again, with the status that was
// known of it.
//
// One Run a Monitor is enough, though more do no harm. A daemon that calls none writes what is
// pending with its next call, and waits for Config.Timeout in each call of an outage.
func (m *Monitor) Run(ctx context.Context) error {
	if m == nil || m.invalid != nil {
		<-ctx.Done()
		return nil
	}
	m.countRuns(ctx, 1)
	defer m.countRuns(ctx, -1)
	for ctx.Err() == nil {
		timer := time.NewTimer(m.retry(ctx))
		select {
		case <-ctx.Done():
		case <-m.woken:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

func (m *Monitor) countRuns(ctx context.Context, change int) {
	m.mu.Lock()
	m.runs += change
	m.watchPending(ctx)
	m.mu.Unlock()
	m.wake() // another Run
}

// retry looks at the Node, has what is pending written if its time has come, and returns when to call
// it again. It makes no request itself.
func (m *Monitor) retry(ctx context.Context) time.Duration {
	node, _, viewErr := m.view(ctx)
	listed := m.listed(ctx)
	now := realClock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observe(listed)
	if viewErr == nil {
		m.look(node)
	}
	at := m.retryAt
	switch {
	case m.writing:
		return lookInterval
	case m.core.Pending(), m.core.Deleted() && viewErr == nil && node.Provisioned:
	case m.core.SpecPending():
		if m.specAfter.After(at) {
			at = m.specAfter
		}
	default:
		return lookInterval
	}
	if delay := at.Sub(now); delay > 0 {
		return min(delay, lookInterval)
	}
	m.start(ctx)
	return lookInterval
}

// look has the versions in the status follow a view of the Node, if that has changed. A view of
// another process that is behind is overwritten once, and not for as long as it is behind. It is called
// with m.mu held.
func (m *Monitor) look(node plan.Node) {
	m.core.Look(node)
	if node.Versions == m.looked || !m.core.Known() {
		return
	}
	change := plan.NodeChange{Node: node}
	if m.core.IsNeeded(change) {
		e, err := m.enqueue(change, false)
		if errors.Is(err, core.ErrFull) {
			return // the next time
		}
		if e != nil {
			_, _ = m.core.Leave(e)
		}
	}
	m.looked = node.Versions
}
