package rollout

import (
	"context"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// action is the next request for the object of a node: delete it, or write the desired state. The zero
// value is no request.
type action struct {
	deletion string // why it is deleted
	desired  *mcfgv1.MachineConfigNode
}

// actionFor returns the action for a node that has this object, and this pool, "" if no pool selects the
// node or several conflict. A Node or an object that does not exist is nil.
//
//  1. A Node that is Pending or Provisioning has no object yet. A Windows node never has one: an
//     object that another process has created for it is deleted.
//  2. An object that is owned by a Node of this name and of another UID is deleted, and then created
//     again: its status describes another machine, or an earlier installation of this machine.
//  3. The garbage collector deletes the object of a Node that was deleted. An object without a Node that
//     no Node owned is deleted here.
//  4. An object that is being deleted is waited for.
//  5. The rest is DesiredMachineConfigNode, which the daemon uses, too.
func actionFor(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode, poolName string, imageMode bool) action {
	switch {
	case mcn != nil && mcn.DeletionTimestamp != nil:
		return action{}
	case node == nil:
		if mcn == nil || slices.ContainsFunc(mcn.OwnerReferences, nodemeta.IsOwner) {
			return action{}
		}
		return action{deletion: "it has neither a Node nor an owner"}
	case pool.IsWindows(node) && mcn != nil:
		return action{deletion: "it belongs to a Windows node"}
	case pool.IsWindows(node) || !nodemeta.IsProvisioned(node):
		return action{}
	case mcn == nil:
		named := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		return action{desired: DesiredMachineConfigNode(ctx, named, node, poolName, imageMode)}
	case nodemeta.OwnedByPrevious(mcn.OwnerReferences, node):
		return action{deletion: "it belongs to a previous Node of this name"}
	}
	desired := DesiredMachineConfigNode(ctx, mcn, node, poolName, imageMode)
	if desired.Spec == mcn.Spec && equality.Semantic.DeepEqual(desired.OwnerReferences, mcn.OwnerReferences) {
		return action{}
	}
	return action{desired: desired}
}

// isImageMode reports whether an object has the conditions of image mode.
func isImageMode(mcn *mcfgv1.MachineConfigNode) bool {
	return plan.ModeOfObject.IsImage(mcn.Status.Conditions)
}

// DesiredMachineConfigNode returns a copy of an object whose owner references and spec follow the node
// and the pool, by the rules of Monitor.GenerateAndApplyMachineConfigNodeSpec. It is for an operator that
// writes the objects itself. For a new object, pass an object that has only a name.
// "not-yet-set", or "", is an unknown pool. An annotation that the CRD rejects is left out, with a
// warning that is logged through ctx.
func DesiredMachineConfigNode(ctx context.Context, mcn *mcfgv1.MachineConfigNode, node *corev1.Node, pool string, imageMode bool) *mcfgv1.MachineConfigNode {
	if pool == "" || !validate.IsName(pool) {
		pool = nodemeta.NotYetSet
	}
	mode := plan.Standard
	if imageMode {
		mode = plan.Image
	}
	view, invalid := plan.NewNode(node, pool, mode)
	if invalid != nil {
		klog.FromContext(ctx).Info("Ignoring an invalid annotation of the Node", "node", node.Name, "cause", invalid)
	}
	after := mcn.DeepCopy()
	desired := plan.State{Owners: after.OwnerReferences, Spec: after.Spec}.Sync(view)
	after.OwnerReferences, after.Spec = desired.Owners, desired.Spec
	return after
}
