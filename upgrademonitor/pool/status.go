package pool

import (
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status returns the status that a pool should have. nodes are the Nodes of the pool: see Primary.
// mcns may lack objects, and objects of other nodes are ignored. now is the lastTransitionTime of
// conditions whose status changes.
//
// Nodes are counted as follows. progress.FromMachineConfigNode reads a MachineConfigNode.
//
//  1. Every node is a machine, and counts at most once in each of the other counts. The order of
//     the lists makes no difference. nil entries are ignored. Of several objects with the same
//     name, the object with the highest resource version counts. A Node whose labels do not match
//     the pool's nodeSelector is not counted.
//  2. Degraded: NodeDegraded is True. A degraded node is neither updated nor ready.
//  3. Being updated: the node does not run the config and image that its object desires. Or its
//     Node desires a config or image that the node does not run and that its object does not desire
//     yet. Or Updated is not True, and a step that runs only during an update has started.
//     Updated=False alone does not count as an update.
//  4. Updated: the node runs the config and image of the pool, its object desires them, and it is
//     not being updated. The image of a layered pool is status.currentImagePullSpec of the
//     MachineOSConfig; other pools have no image. If the object has no images, they are read from
//     the Node's annotations.
//  5. Unavailable: the Node is not Ready or is unschedulable, or the node is being updated or
//     degraded. It makes no difference who cordoned the Node. Ready: updated, and not unavailable.
//  6. Not reported: the MachineConfigNode is missing, has no conditions, or its owner has the UID
//     of another Node. A joining node counts as not reported, too, until Updated is reported or a
//     step that runs only during an update starts. A node that has not reported is a machine, and
//     may be degraded or unavailable.
//
// docs/operator.md lists the reasons and messages of the conditions:
//
//  7. Updated: the pool has a target, and all its machines are ready. A pool has no target until a
//     MachineConfig is rendered. A layered pool has no target until a build has succeeded and the
//     MachineOSConfig names its image.
//  8. Updating, if the pool is not layered: a machine is being updated. Or a machine that has
//     reported is not updated, and the pool is not paused. A node that is not Ready, cordoned, or
//     has not reported does not by itself make its pool Updating.
//  9. Updating, if the pool is layered: the status and message of machine-config-operator for the
//     state of the build. While a node or the rendering is degraded, Updating is False unless the
//     pool is paused.
//  10. NodeDegraded: a machine is degraded. The message has at most 14 nodes and 8 kB.
//  11. ImageBuildDegraded turns False when another build is prepared or running, when a build has
//     succeeded, and when there is no build. The build controller writes True.
//  12. Degraded: NodeDegraded, ImageBuildDegraded or RenderDegraded is True. The message has at
//     most 8 kB.
//  13. lastTransitionTime becomes now, in whole seconds, only if the condition's status changes.
//
// configuration becomes spec.configuration when the pool is Updated. In the entry of
// poolSynchronizersStatus for PinnedImageSets, a machine is updated if it has all sets that its
// object lists, and no set has failed. The observedGeneration of the entry is copied. All other
// conditions, entries and fields are copied from the pool.
//
// The result shares no memory with the arguments, which are not changed. If the status of the pool
// is up to date, the result is equal to it. The running time is linear in the number of objects.
func Status(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, options Options, now metav1.Time) mcfgv1.MachineConfigPoolStatus {
	c := newCount(pool, nodes, mcns, options)
	status := *pool.Status.DeepCopy()
	status.ObservedGeneration = pool.Generation
	status.MachineCount = int32(c.total)
	status.UpdatedMachineCount = int32(c.updated)
	status.ReadyMachineCount = int32(c.ready)
	status.UnavailableMachineCount = int32(c.unavailable)
	status.DegradedMachineCount = int32(len(c.degraded))
	if c.isUpdated() {
		pool.Spec.Configuration.DeepCopyInto(&status.Configuration)
	}
	now = metav1.NewTime(now.UTC().Truncate(time.Second))
	status.Conditions = withConditions(status.Conditions, c, now)
	status.PoolSynchronizersStatus = withPinnedImageSets(status.PoolSynchronizersStatus, c)
	return status
}

// withPinnedImageSets returns the list with the entry for PinnedImageSets. It may change the list.
//
// A machine is ready if it has the images and is available: the CRD requires that at most as many
// machines are ready as are available.
func withPinnedImageSets(list []mcfgv1.PoolSynchronizerStatus, c *count) []mcfgv1.PoolSynchronizerStatus {
	next := mcfgv1.PoolSynchronizerStatus{
		PoolSynchronizerType:    mcfgv1.PinnedImageSets,
		MachineCount:            int64(c.total),
		UpdatedMachineCount:     int64(c.pinned),
		ReadyMachineCount:       int64(c.pinnedReady),
		AvailableMachineCount:   int64(c.total - c.unavailable),
		UnavailableMachineCount: int64(c.unavailable),
	}
	at := slices.IndexFunc(list, func(s mcfgv1.PoolSynchronizerStatus) bool {
		return s.PoolSynchronizerType == mcfgv1.PinnedImageSets
	})
	if at < 0 {
		return append(list, next)
	}
	next.ObservedGeneration = list[at].ObservedGeneration
	list[at] = next
	return list
}
