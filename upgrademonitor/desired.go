package upgrademonitor

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// Desired returns what GenerateAndApplyMachineConfigNodeSpec makes of an object, by the same
// rules, for a controller that writes the objects of other nodes: a copy of it whose owner
// references and spec follow the node and the pool. An object that is to be created is
// given as one that has a name only. NotYetSet, or "", is a pool that is not known.
//
// It is pure but for the warning, logged through ctx, about a value that the CRD cannot hold.
func Desired(ctx context.Context, mcn *mcfgv1.MachineConfigNode, node *corev1.Node, pool string, imageMode bool) *mcfgv1.MachineConfigNode {
	if pool == "" || !isName(pool) {
		pool = NotYetSet
	}
	s := spec{owner: ownerReference(node), pool: pool, versions: versionsOf(ctx, node, imageMode), imageMode: imageMode}
	after := mcn.DeepCopy()
	after.OwnerReferences = s.owners(after)
	after.Spec = s.over(mcn.Spec, false)
	return after
}
