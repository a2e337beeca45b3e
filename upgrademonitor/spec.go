package upgrademonitor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/validate"
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
	if e != nil {
		m.start(ctx)
	}
	return e
}

// DesiredMachineConfigNode returns what GenerateAndApplyMachineConfigNodeSpec makes of an object,
// by the same rules, for a controller that writes the objects of other nodes: a copy of it whose
// owner references and spec follow the node and the pool. An object that is to be created is
// given as one that has a name only. NotYetSet, or "", is a pool that is not known. An annotation
// that the CRD rejects is left out, with a warning that is logged through ctx.
func DesiredMachineConfigNode(ctx context.Context, mcn *mcfgv1.MachineConfigNode, node *corev1.Node, pool string, imageMode bool) *mcfgv1.MachineConfigNode {
	if pool == "" || !validate.IsName(pool) {
		pool = NotYetSet
	}
	mode := plan.Standard
	if imageMode {
		mode = plan.Image
	}
	view, warnings := plan.NewNode(node, pool, mode)
	for _, w := range warnings {
		klog.FromContext(ctx).Info("Ignoring an invalid annotation of the Node", "node", node.Name, "annotation", w.Annotation, "value", w.Value)
	}
	after := mcn.DeepCopy()
	desired := plan.State{Owners: after.OwnerReferences, Spec: after.Spec}.Follow(view)
	after.OwnerReferences, after.Spec = desired.Owners, desired.Spec
	return after
}
