package rollout

import (
	"context"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// action is the next request for the object of a node: a deletion, a creation or a patch. The zero
// value means that no request is needed.
type action struct {
	deletion string                    // the cause of a deletion, or "" for another request
	desired  *mcfgv1.MachineConfigNode // the object to write, or nil
}

// actionFor returns the action for a node: see the rules of the package. node and mcn are nil if they do
// not exist. poolName is "" if no pool selects the node, or if conflicting pools select it. While an
// object is being deleted, there is no action.
func actionFor(
	ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode, poolName string, inImageMode bool,
) action {
	switch {
	case mcn != nil && mcn.DeletionTimestamp != nil:
		return action{}
	case node == nil:
		if mcn == nil || slices.ContainsFunc(mcn.OwnerReferences, nodemeta.IsOwner) {
			return action{}
		}
		return action{deletion: "the MachineConfigNode has neither a Node nor an owner"}
	case nodemeta.IsWindows(node) && mcn != nil:
		return action{deletion: "the MachineConfigNode belongs to a Windows node"}
	case nodemeta.IsWindows(node) || !nodemeta.IsProvisioned(node):
		return action{}
	case mcn == nil:
		named := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		return action{desired: DesiredMachineConfigNode(ctx, named, node, poolName, inImageMode)}
	case nodemeta.OwnedByPrevious(mcn.OwnerReferences, node):
		return action{deletion: "the MachineConfigNode belongs to a previous Node with the same name"}
	}
	desired := DesiredMachineConfigNode(ctx, mcn, node, poolName, inImageMode)
	if desired.Spec == mcn.Spec && equality.Semantic.DeepEqual(desired.OwnerReferences, mcn.OwnerReferences) {
		return action{}
	}
	return action{desired: desired}
}

// DesiredMachineConfigNode returns a copy of mcn with the owner references and the spec that match
// the node and the pool. It makes no request, and is for operators that write the objects themselves.
// It is safe for concurrent use.
//
//  1. For a new object, pass an mcn that has only a name. If the pool is not known, pass "".
//  2. The owner is the Node. The desired config and, if inImageMode is set, the desired image come from
//     the annotations of the Node, as in upgrademonitor.Monitor.GenerateAndApplyMachineConfigNodeSpec.
//  3. If the pool or the desired config is not known, the field keeps its value. In a new object, it
//     becomes "not-yet-set".
//  4. If the CRD rejects the value of an annotation, the annotation is ignored, and this is logged
//     with the logger of ctx.
func DesiredMachineConfigNode(
	ctx context.Context, mcn *mcfgv1.MachineConfigNode, node *corev1.Node, pool string, inImageMode bool,
) *mcfgv1.MachineConfigNode {
	if !nodemeta.IsName(pool) {
		pool = nodemeta.NotYetSet
	}
	mode := planner.Standard
	if inImageMode {
		mode = planner.Image
	}
	planned, invalid := planner.NewNode(node, pool, mode)
	if invalid != nil {
		klog.FromContext(ctx).Info("Ignoring an invalid annotation of the Node", "node", node.Name, "cause", invalid)
	}
	after := mcn.DeepCopy()
	desired := planner.State{Owners: after.OwnerReferences, Spec: after.Spec}.WithSpecOf(planned)
	after.OwnerReferences, after.Spec = desired.Owners, desired.Spec
	return after
}
