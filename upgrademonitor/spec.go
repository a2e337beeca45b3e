package upgrademonitor

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// GenerateAndApplyMachineConfigNodeSpec makes the object's spec that of the node and its
// pool: the pool, and the config that the node is to have.
//
//  1. The object is created where it is missing, with the Node as its owner.
//  2. A config that the node does not name, and a pool that is NotYetSet, change nothing.
//     An image that the node does not name is cleared, in image mode, if it names a config.
//  3. The owner reference follows a Node that was created again (another UID).
//  4. A spec that is up to date makes no request.
//  5. An error of Config.Pool or Config.Node fails the call with a *NodeError. Timeouts,
//     ErrPending and ctx are as for GenerateAndApplyMachineConfigNode.
//  6. What cannot be written blocks no report.
func (m *Monitor) GenerateAndApplyMachineConfigNodeSpec(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	node, err := m.node()
	if err != nil {
		return err
	}
	spec, err := m.specOf(ctx, node)
	if err != nil {
		return err
	}
	return m.submit(ctx, spec)
}

// specOf returns the spec that the object is to have. Where Config.Pool fails, the pool of the
// spec is NotYetSet.
func (m *Monitor) specOf(ctx context.Context, node *corev1.Node) (plan.Spec, error) {
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !validate.IsName(pool) {
		err = field.Invalid(field.NewPath("pool"), pool, "must be the name of a MachineConfigPool")
	}
	if err != nil {
		err = &NodeError{NodeName: m.config.NodeName, Problem: "Config.Pool failed", Err: err}
	}
	if err != nil || pool == "" {
		pool = NotYetSet
	}
	imageMode := m.config.ImageMode()
	return plan.Spec{
		Owner:     nodeowner.Reference(node),
		Pool:      pool,
		Node:      readNode(ctx, node, imageMode),
		ImageMode: imageMode,
	}, err
}

// DesiredMachineConfigNode returns what GenerateAndApplyMachineConfigNodeSpec makes of an object,
// by the same rules, for a controller that writes the objects of other nodes: a copy of it whose
// owner references and spec follow the node and the pool. An object that is to be created is
// given as one that has a name only. NotYetSet, or "", is a pool that is not known.
//
// It is pure but for a warning, logged through ctx, about an annotation that the CRD rejects.
func DesiredMachineConfigNode(ctx context.Context, mcn *mcfgv1.MachineConfigNode, node *corev1.Node, pool string, imageMode bool) *mcfgv1.MachineConfigNode {
	if pool == "" || !validate.IsName(pool) {
		pool = NotYetSet
	}
	s := plan.Spec{Owner: nodeowner.Reference(node), Pool: pool, Node: readNode(ctx, node, imageMode), ImageMode: imageMode}
	after := mcn.DeepCopy()
	after.OwnerReferences = nodeowner.Replace(after.OwnerReferences, s.Owner)
	after.Spec = s.Desired(mcn.Spec, false)
	return after
}
