package rollout

import (
	"context"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// step is what has to be done for a node.
type step int

const (
	nothing step = iota
	create       // it has no object
	update       // its object says something else than the node does
	replace      // its object is that of an earlier Node of this name
)

// plan is a step, and the object that it leads to.
type plan struct {
	step step
	on   *mcfgv1.MachineConfigNode // as it is; nil: there is none
	want *mcfgv1.MachineConfigNode // as it is to be; of create and update
}

// planFor returns what has to be done for a node that has this object, or none (nil), and
// this pool ("": none wants the node, or it cannot be told which).
//
//  1. A node that is not acknowledged has no object yet. Neither has a Windows node, ever.
//  2. An object that is owned by a Node of this name and of another UID is replaced: its
//     status is that of another machine, or of another life of this one.
//  3. An object that is being deleted is waited for.
//  4. The rest is upgrademonitor.Desired, by which the daemon goes too.
func planFor(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode, poolName string, imageMode bool) plan {
	switch {
	case !acknowledged(node) || pool.IsWindows(node):
		return plan{step: nothing, on: mcn}
	case mcn == nil:
		named := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		return plan{step: create, want: upgrademonitor.Desired(ctx, named, node, poolName, imageMode)}
	case mcn.DeletionTimestamp != nil:
		return plan{step: nothing, on: mcn}
	case ofEarlier(mcn, node):
		return plan{step: replace, on: mcn}
	}
	want := upgrademonitor.Desired(ctx, mcn, node, poolName, imageMode)
	if want.Spec == mcn.Spec && equality.Semantic.DeepEqual(want.OwnerReferences, mcn.OwnerReferences) {
		return plan{step: nothing, on: mcn}
	}
	return plan{step: update, on: mcn, want: want}
}

// acknowledged reports whether a node has come so far that its machine is known.
func acknowledged(node *corev1.Node) bool {
	return node.Status.Phase != corev1.NodePending && node.Status.Phase != "Provisioning"
}

// ofEarlier reports whether the object is owned by Nodes of this name, and by none of them
// that is this one.
func ofEarlier(mcn *mcfgv1.MachineConfigNode, node *corev1.Node) bool {
	owners := slices.DeleteFunc(slices.Clone(mcn.OwnerReferences), func(o metav1.OwnerReference) bool {
		return !isNode(o, node.Name)
	})
	return len(owners) > 0 && !slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool { return o.UID == node.UID })
}

// isNode reports whether an owner is a Node of this name, and no other kind that is called so.
func isNode(owner metav1.OwnerReference, name string) bool {
	return owner.APIVersion == "v1" && owner.Kind == "Node" && owner.Name == name
}
