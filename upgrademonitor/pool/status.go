package pool

import (
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status returns the status that a pool should have. nodes are the Nodes of the pool, see Primary.
// mcns may have more or fewer objects; objects of other nodes are ignored. now is the
// lastTransitionTime of conditions whose status changes.
//
// A node counts as follows. Its MachineConfigNode is read as by progress.FromMachineConfigNode.
//
//  1. Every node is a machine, and counts at most once in each of the other counts. The order of the
//     lists makes no difference. nil entries are ignored. Of several objects with the same name the
//     highest resource version counts. A Node with labels that the pool's nodeSelector does not match
//     is not counted.
//  2. Degraded: NodeDegraded is True. A degraded node is neither updated nor ready.
//  3. Being updated: it does not have the config and image that its object desires; or its Node desires
//     a config or image that it does not have and its object does not desire yet; or Updated is not
//     True and a step that only an update has is running or has run. Updated=False alone is no update.
//  4. Updated: it runs the config and image of the pool, its object desires them, and it is not being
//     updated. The image is status.currentImagePullSpec of the MachineOSConfig, and no image if the
//     pool is not layered. Images that the object does not have are read from the Node's annotations.
//  5. Unavailable: the Node is not Ready, or is unschedulable, whoever cordoned it; or the node is being
//     updated, or is degraded. Ready: updated, and not unavailable.
//  6. A node has not reported if its MachineConfigNode is missing, has no conditions, names the UID of
//     another Node as its owner, or belongs to a joining node: Updated was never reported, and no step
//     is running that only an update has. It is a machine, and it may be degraded or unavailable.
//
// docs/operator.md lists the reasons and messages of the conditions:
//
//  7. Updated: the pool has a target, and all its machines are ready. There is no target before a
//     MachineConfig is rendered, and while a layered pool has no successful build whose image its
//     MachineOSConfig names.
//  8. Updating, of a pool that is not layered: a machine is being updated, or, unless the pool is
//     paused, a machine that has reported is not updated. A node that is not Ready, was cordoned by
//     other processes, or has not reported, does not make its pool Updating.
//  9. Updating, of a layered pool: what machine-config-operator says of the build, in its words. While a
//     node or the rendering is degraded, it is False unless the pool is paused.
//  10. NodeDegraded: a machine is degraded. Its message has at most 14 nodes and 8 kB.
//  11. ImageBuildDegraded, whose failures the build controller writes, is cleared when another build is
//     prepared or running, when a build succeeded, and when there is no build.
//  12. Degraded: NodeDegraded, ImageBuildDegraded or RenderDegraded is True. Its message has 8 kB.
//  13. lastTransitionTime changes to now, in whole seconds, when and only when a condition's status changes.
//
// configuration becomes spec.configuration when the pool is Updated. The entry of
// poolSynchronizersStatus for PinnedImageSets counts a machine as updated when it has all sets that its
// object lists, and no set has failed; the entry's observedGeneration is kept. All other conditions,
// entries and fields are kept.
//
// The result shares nothing with the arguments, which are not changed. The status of a pool whose status
// is already up to date is that status. The time grows linearly with the number of objects.
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

// withPinnedImageSets returns the list with the entry of this package. It may change the list.
//
// A machine is ready when it has the images and is available: the validation rules of the CRD demand
// that no more machines are ready than available.
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
