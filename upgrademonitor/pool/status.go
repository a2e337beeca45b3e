package pool

import (
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Options are what a status depends on besides the objects.
type Options struct {
	// Image is the OS image that the pool's nodes are to have.
	Image Image
	// DegradeOnPinnedImageSets makes a pool Degraded if PinnedImageSetsDegraded is True.
	DegradeOnPinnedImageSets bool
}

// Status returns the status that a pool is to have, from its nodes and what their
// MachineConfigNodes report. The nodes are those of the pool, see Primary; the MachineConfigNodes
// may be more or fewer.
//
// What a node counts as, in the same reading of its object as progress.FromMachineConfigNode:
//
//  1. Every node is a machine, and counts at most once in each of the other counts. The order of
//     nodes, of MachineConfigNodes and of their conditions makes no difference; nil and repeated
//     entries are ignored.
//  2. Degraded: NodeDegraded is True. A degraded node is neither updated nor ready.
//  3. Being updated: it does not have the config and image that its object desires, or Updated is not
//     True and a step that is unique to an update runs or has run. Updated=False alone is no update.
//  4. Updated: it has the config and image of the pool, its object desires them, and it is not being
//     updated: see ImageState. What its object does not name of the images, the Node's annotations do.
//  5. Unavailable: the Node is not Ready, or is unschedulable, whoever cordoned it, or it is being
//     updated, or degraded, also by a drift while Updated is True.
//  6. Ready: updated, and not unavailable.
//  7. A node has not reported if its MachineConfigNode is missing, has no conditions, names
//     the UID of another Node as its owner, or is that of a joining node: Updated was never reported,
//     and no step runs that is unique to an update. It is a machine, it may be degraded, and it may be
//     unavailable for that or for its Node. It is nothing else.
//
// What the pool's conditions mean, whose reasons and messages docs/operator.md lists:
//
//  8. Updated: the pool has a target, and all its machines are updated, if there are any. There
//     is no target before a MachineConfig is rendered, and while its image is being built or after the
//     build has failed. While the image is unknown and nodes desire different ones, it is False.
//  9. Updating: a machine is being updated, or, unless the pool is paused, one that has reported is
//     not updated or the image is being built. A node that is not Ready, was cordoned by others, or has
//     not reported, does not make its pool Updating, nor does a failed build.
//  10. NodeDegraded: a machine is degraded. Its message has at most 14 nodes and 8 kB.
//  11. PinnedImageSetsDegraded: likewise, of nodes whose condition of that name is True. It
//     changes none of the machine counts, which are about configs.
//  12. Degraded: 10 is True, or one of RenderDegraded, ImageBuildDegraded and PoolSynchronizerDegraded,
//     which other controllers write, or 11, if the Options say so. Its message has the causes, in 8 kB.
//  13. lastTransitionTime moves to now, in whole seconds, when and only when a condition's status moves.
//
// What else the status contains:
//
//  14. configuration becomes the one of the spec when the pool is Updated.
//  15. The entry of poolSynchronizersStatus for PinnedImageSets counts a machine as updated when all sets that it
//     lists are pulled in the generation desired, and none has failed. Its observedGeneration is kept.
//  16. Conditions, entries and fields that other controllers write are kept.
//
// Nothing that is passed in changes, and what is returned shares nothing with it. The time it takes grows
// with the number of nodes and MachineConfigNodes. A status that was computed before is unchanged by itself.
func Status(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, options Options, now metav1.Time) mcfgv1.MachineConfigPoolStatus {
	c := countNodes(pool, nodes, mcns, options.Image)
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
	status.Conditions = withConditions(status.Conditions, c, options.DegradeOnPinnedImageSets, now)
	status.PoolSynchronizersStatus = withPinnedImageSets(status.PoolSynchronizersStatus, c)
	return status
}

// withPinnedImageSets returns the list with the entry of this package. It may change the list.
//
// A machine is ready when it has the images and is available, so that the counts comply with the
// validation rules of the CRD.
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
