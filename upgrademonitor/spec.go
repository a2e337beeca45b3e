package upgrademonitor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// GenerateAndApplyMachineConfigNodeSpec makes the object's spec that of the node and its
// pool: the pool, and the config that the node is to have.
//
//  1. The object is created if it is missing, with the Node as its owner.
//  2. A config that the node does not name, and a pool that is NotYetSet, change nothing.
//     An image that the node does not name is cleared, in image mode, if it names a config.
//  3. The owner reference follows a Node that was created again (another UID).
//  4. A spec that is up to date makes no request.
//  5. The error is why the spec could not be written now: it is tried again with a later call, and by
//     Run. A write has half of Config.Timeout; for 10 s after a failure, the call returns it at once.
//     A failure of Config.Node or Config.Pool is a *NodeError, and nothing is written.
func (m *Monitor) GenerateAndApplyMachineConfigNodeSpec(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if m.invalid != nil {
		return m.invalid
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	node, poolErr, err := m.view(ctx)
	if err != nil {
		return err
	}
	if poolErr != nil {
		return poolErr
	}
	e := m.follow(ctx, node)
	if e == nil {
		return nil
	}
	timeout := time.NewTimer(m.config.Timeout)
	defer timeout.Stop()
	m.await(ctx, e, timeout, func(m *Monitor) bool {
		return m.isInVain() || m.specCause != nil && realClock.Now().Before(m.specAfter)
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Done() {
		return nil
	}
	return fmt.Errorf("spec of the MachineConfigNode not written yet: %w", cmp.Or(m.specCause, m.cause, context.Cause(ctx), errNoAnswer))
}

// follow has the spec follow a view of the Node. It returns nil if it does already.
func (m *Monitor) follow(ctx context.Context, node plan.Node) *core.Entry {
	listed := m.listed(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observe(listed)
	e := m.core.Follow(node, m.isOld(listed))
	if m.core.SpecPending() {
		m.start(ctx)
	}
	return e
}
