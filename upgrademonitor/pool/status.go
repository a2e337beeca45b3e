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
// What a node counts as:
//
//  1. Every node is a machine, and counts at most once in each of the other counts. The order of
//     nodes, of MachineConfigNodes and of their conditions makes no difference; nil and repeated
//     entries are ignored.
//  2. Degraded: NodeDegraded is True. A degraded node is neither updated nor ready.
//  3. Updated: Updated is True, the config in its status, both current and desired, and the
//     one desired in its spec are the pool's, and it desires and has the right image: see
//     ImageState. What its object does not name of the images, the Node's annotations do.
//  4. Unavailable: the Node is not Ready, or is unschedulable, whoever cordoned it, or it is being
//     updated: Updated is not True.
//  5. Ready: updated, and not unavailable.
//  6. A node has not reported if its MachineConfigNode is missing, has no conditions, names
//     the UID of another Node as its owner, or is that of a joining node: Updated was never reported,
//     and no phase runs that only an update has. It is a machine and may be unavailable by 4, for its
//     Node alone: maxUnavailable counts nodes that are down for any reason. A joining node may be
//     degraded, too. It is nothing else.
//
// What the pool's conditions mean:
//
//  7. Updated: the pool has a target, and all its machines are updated, if there are any. There
//     is no target before a MachineConfig is rendered, and while its image is being built or after the
//     build has failed. While the image is unknown and nodes desire different ones, it is False.
//  8. Updating: a machine is being updated, or, unless the pool is paused, one that has reported is
//     not updated or the image is being built. A node that is not Ready, was cordoned by others, or has
//     not reported, does not make its pool Updating, nor does a failed build. The message names the
//     phase that a node is in, and since when.
//  9. NodeDegraded: a machine is degraded. The message has the first 14 nodes in the order of their
//     names, each with its own message, and how many more there are, in 8 kB. Short messages leave
//     their room to long ones, which keep their head and their end.
//  10. PinnedImageSetsDegraded: likewise, of nodes whose condition of that name is True. It
//     changes none of the machine counts, which are about configs. It is False, and not absent,
//     if there are no sets, so that one can wait for it.
//  11. Degraded: 9 is True, or one of RenderDegraded, ImageBuildDegraded and PoolSynchronizerDegraded,
//     which others write, or 10, if the Options say so. The message has the causes, in 8 kB, as in 9.
//  12. lastTransitionTime moves to now, in whole seconds, when and only when a condition's status moves.
//
// What else the status contains:
//
//  13. configuration becomes the one of the spec when the pool is Updated.
//  14. The entry of poolSynchronizersStatus for PinnedImageSets counts a machine as updated when all sets that it
//     lists are pulled in the generation desired, and none has failed. Its observedGeneration is kept.
//  15. Conditions, entries and fields of others are kept.
//
// Nothing that is passed in changes, and what is returned shares nothing with it. The time it takes grows
// with the number of nodes and MachineConfigNodes. A status that was computed before is unchanged by itself.
func Status(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, options Options, now metav1.Time) mcfgv1.MachineConfigPoolStatus {
	c := countMachines(pool, nodes, mcns, options.Image)
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
		MachineCount:            int64(c.machines),
		UpdatedMachineCount:     int64(c.pinned),
		ReadyMachineCount:       int64(c.pinnedReady),
		AvailableMachineCount:   int64(c.machines - c.unavailable),
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
