package upgrademonitor

import (
	"cmp"
	"context"
	"fmt"
)

// GenerateAndApplyMachineConfigNodeSpec makes the object's spec that of the node and its pool: the
// pool, and the desired config and image of the node.
//
//  1. The object is created if it is missing, with the Node as its owner.
//  2. If the node names no desired config, or the pool is NotYetSet, the value in the spec stays. In
//     image mode, an image that the node does not name is cleared, if the node names a config.
//  3. The owner reference follows a Node that was registered again with another UID.
//  4. A spec that is in sync needs no request.
//  5. The error is why the spec could not be written now: the write is retried. A write has half of
//     Config.Timeout; for 10 seconds after a failure, calls return its error at once. If Config.Node
//     or Config.Pool fails, the error is a *NodeError, and nothing is written.
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
	m.mu.Lock()
	m.seeLocked(v)
	e := m.core.SubmitSpec()
	if m.core.Pending() || m.core.SpecPending() {
		m.startLocked()
	}
	since := m.writer.requests
	m.mu.Unlock()
	if e == nil {
		return nil
	}
	m.await(ctx, e, since)
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.IsSettled() {
		return nil
	}
	return fmt.Errorf("spec of the MachineConfigNode not written yet: %w", cmp.Or(m.spec.cause, m.outage.cause, context.Cause(ctx), errNoResponse))
}
