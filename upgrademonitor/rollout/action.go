package rollout

import (
	"context"

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

// action is what to do with the object of a node: to delete it, or to write what is desired. The zero
// value is to do nothing.
type action struct {
	deletion string // why it is deleted
	desired  *mcfgv1.MachineConfigNode
}

// actionFor returns the action for a node that has this object, or none (nil), and this pool ("" if
// none selects the node, or several conflict).
//
//  1. A Node that is Pending or Provisioning has no object yet. A Windows node never has one: an
//     object that another process has created for it is deleted.
//  2. An object that is owned by a Node of this name and of another UID is deleted, and then created
//     again: its status is that of another machine, or of an earlier installation of this one.
//  3. An object that is being deleted is waited for.
//  4. The rest is DesiredMachineConfigNode, which the daemon uses, too.
func actionFor(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode, poolName string, imageMode bool) action {
	switch {
	case mcn != nil && mcn.DeletionTimestamp != nil:
		return action{}
	case pool.IsWindows(node) && mcn != nil:
		return action{deletion: "it is that of a Windows node"}
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

// DesiredMachineConfigNode returns what Monitor.GenerateAndApplyMachineConfigNodeSpec makes of an
// object, by the same rules, for an operator that writes the objects itself: a copy of it whose
// owner references and spec follow the node and the pool. An object that is to be created is
// given as one that has a name only. NotYetSet, or "", is a pool that is not known. An annotation
// that the CRD rejects is left out, with a warning that is logged through ctx.
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
