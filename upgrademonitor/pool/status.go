package pool

import (
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status returns the status that a pool should have. nodes are the Nodes of the pool: see Primary.
// mcns are their MachineConfigNodes. Objects may be missing in mcns, and objects of other nodes are
// ignored. now becomes the lastTransitionTime of each condition whose status changes.
//
// Status reads each MachineConfigNode (the object of a node) with progress.FromMachineConfigNode,
// and counts the nodes by these rules:
//
//  1. Every node counts as one machine. The order of the lists makes no difference. nil entries are
//     ignored. If several objects have the same name, only the object with the highest
//     resourceVersion is used. A Node whose labels do not match the pool's nodeSelector is ignored.
//  2. A node with NodeDegraded=True is degraded. A degraded node is neither updated nor ready.
//  3. A node is being updated if it does not run the config and image in the spec of its object. It
//     is also being updated if the annotations of its Node desire a new config or image that its
//     object does not desire yet. It is also being updated if Updated is not True, and a step that
//     runs only during an update has started. Updated=False alone does not count as an update.
//  4. A node is updated if it runs the config and image of the pool, its object desires them, and
//     it is not being updated. The image of a layered pool is status.currentImagePullSpec of the
//     MachineOSConfig. Other pools have no image. If the object has no images, the images in the
//     Node's annotations are used.
//  5. A node is unavailable if it is unschedulable, degraded, being updated, or not Ready. It makes
//     no difference who cordoned the Node. A node is ready if it is updated, and not unavailable.
//  6. A node has not reported if its MachineConfigNode is missing, has no conditions, or belongs to
//     an earlier Node with the same name. A joining node has not reported until Updated is reported
//     or a step that runs only during an update starts. A node that has not reported still counts
//     as a machine, and may be degraded or unavailable.
//
// The conditions follow these rules. docs/operator.md lists the reasons and messages:
//
//  7. Updated is True if the pool has a target, and all its machines are ready. A pool has no
//     target until a MachineConfig is rendered. A layered pool has no target until a build has
//     succeeded and the MachineOSConfig names the built image.
//  8. Updating of a pool that is not layered is True if a machine is being updated. It is also True
//     if a machine that has reported is not updated, unless the pool is paused. If a node is not
//     Ready, is cordoned or has not reported, the pool is not Updating for that reason alone.
//  9. Updating of a layered pool has the status and message that machine-config-operator uses for
//     the state of the build. If a node or the rendering is degraded, Updating is False unless the
//     pool is paused.
//  10. NodeDegraded is True if a machine is degraded. Its message has at most 14 nodes and 8 kB.
//  11. ImageBuildDegraded becomes False if a build is prepared, is running or has succeeded, or if
//     there is no build. Only the build controller sets ImageBuildDegraded to True.
//  12. Degraded is True if NodeDegraded, ImageBuildDegraded or RenderDegraded is True. Its message
//     also has at most 8 kB.
//  13. lastTransitionTime becomes now, in whole seconds, only if the condition's status changes.
//
// If the pool is Updated, spec.configuration is copied to status.configuration. In the entry
// PinnedImageSets of poolSynchronizersStatus, a machine is updated if it has all image sets that
// its object lists, and no set has failed. The observedGeneration of this entry, and all other
// conditions, entries and fields, are copied from the status of the pool.
//
// Status does not modify its arguments, and the result shares no memory with them. If pool.Status
// is up to date, the result equals pool.Status. The running time is linear in the number of nodes
// and objects.
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

// withPinnedImageSets returns the list with the entry for PinnedImageSets. It may modify the list.
//
// A machine that has its pinned images is ready only if it is available, because the CRD rejects a
// readyMachineCount that exceeds the availableMachineCount.
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
