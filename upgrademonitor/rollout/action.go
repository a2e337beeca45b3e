package rollout

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
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
//  4. The rest is upgrademonitor.DesiredMachineConfigNode, which the daemon uses, too.
func actionFor(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode, poolName string, imageMode bool) action {
	switch {
	case mcn != nil && mcn.DeletionTimestamp != nil:
		return action{}
	case pool.IsWindows(node) && mcn != nil:
		return action{deletion: "it is that of a Windows node"}
	case pool.IsWindows(node) || !nodeowner.IsProvisioned(node):
		return action{}
	case mcn == nil:
		named := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		return action{desired: upgrademonitor.DesiredMachineConfigNode(ctx, named, node, poolName, imageMode)}
	case nodeowner.OwnedByPrevious(mcn.OwnerReferences, node):
		return action{deletion: "it belongs to a previous Node of this name"}
	}
	desired := upgrademonitor.DesiredMachineConfigNode(ctx, mcn, node, poolName, imageMode)
	if desired.Spec == mcn.Spec && equality.Semantic.DeepEqual(desired.OwnerReferences, mcn.OwnerReferences) {
		return action{}
	}
	return action{desired: desired}
}
