package pool

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status returns the status that a pool is to have, from its nodes and what their
// MachineConfigNodes report. The nodes are those of the pool, see Primary; the MachineConfigNodes
// may be more or fewer. image is the image that the pool's nodes are to have, where the caller
// knows one; otherwise each node is to have the one that its MachineConfigNode asks for.
//
// What a node counts as:
//
//  1. Every node is a machine, and counts at most once in each of the other counts. The order of
//     nodes, of MachineConfigNodes and of their conditions makes no difference.
//  2. Degraded: NodeDegraded is True. A degraded node is neither updated nor ready.
//  3. Updated: Updated is True, and the config in its status, both current and desired, and the
//     one desired in its spec, are the pool's; so is the image.
//  4. Unavailable: the Node is not Ready, or is unschedulable, whoever cordoned it, or it is being
//     updated: Updated is not True.
//  5. Ready: updated, and not unavailable.
//  6. A node has not reported where its MachineConfigNode is missing, has no conditions, or names
//     the UID of another Node as its owner. It is a machine and may be unavailable, as 4 says of the Node
//     alone: maxUnavailable counts nodes that are down for any reason. It is nothing else.
//
// What the pool's conditions say:
//
//  7. Updated: the pool has a target, and all its machines are updated, if there are any.
//  8. Updating: a machine is being updated, or one that has reported is not updated, and the pool
//     is not paused. A node that is not Ready, was cordoned by others, or has not reported, does
//     not make its pool Updating.
//  9. NodeDegraded: a machine is degraded. The message has the nodes in the order of their names,
//     each with its own message, cut, as far as maxMessage goes, and then how many more there are.
//  10. PinnedImageSetsDegraded: likewise, of nodes whose condition of that name is True. It
//     changes none of the machine counts, which are about configs. It is False, and not absent,
//     where there are no sets, so that one can wait for it.
//  11. Degraded: one of 9 and 10 is True, or one of RenderDegraded, ImageBuildDegraded and
//     PoolSynchronizerDegraded, which others write.
//  12. lastTransitionTime moves to now, in whole seconds, when and only when a condition's status moves.
//
// What else the status says:
//
//  13. configuration becomes the one of the spec when the pool is Updated.
//  14. The entry of poolSynchronizersStatus for PinnedImageSets counts a machine as updated when all sets that it
//     lists are pulled in the generation desired, and none has failed. Its observedGeneration stays.
//  15. Conditions, entries and fields of others stay as they are.
//
// Nothing that is passed in changes, and what is returned shares nothing with it. The time it takes grows
// with the number of nodes and MachineConfigNodes. The status of a settled pool gives itself again.
func Status(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, image string, now metav1.Time) mcfgv1.MachineConfigPoolStatus {
	c := countMachines(pool, nodes, mcns, image)
	status := *pool.Status.DeepCopy()
	status.ObservedGeneration = pool.Generation
	status.MachineCount = int32(c.machines)
	status.UpdatedMachineCount = int32(c.updated)
	status.ReadyMachineCount = int32(c.ready)
	status.UnavailableMachineCount = int32(c.unavailable)
	status.DegradedMachineCount = int32(len(c.degraded))
	if c.isUpdated() {
		pool.Spec.Configuration.DeepCopyInto(&status.Configuration)
	}
	status.Conditions = withConditions(status.Conditions, c, metav1.NewTime(now.UTC().Truncate(time.Second)))
	status.PoolSynchronizersStatus = withPinnedImageSets(status.PoolSynchronizersStatus, c)
	return status
}

// countMachines counts the nodes of a pool.
func countMachines(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, image string) *count {
	byName := make(map[string]*mcfgv1.MachineConfigNode, len(mcns))
	for _, mcn := range mcns {
		byName[mcn.Name] = mcn
	}
	c := &count{
		target: target{config: pool.Spec.Configuration.Name, image: image},
		paused: pool.Spec.Paused,
	}
	for _, node := range nodes {
		c.add(newMachine(node, reportOf(byName[node.Name]), c.target))
	}
	return c
}
