package pool

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status returns the status that a pool should have. nodes are the Nodes of the pool: see Primary.
// mcns are their MachineConfigNodes. now becomes the lastTransitionTime of each condition whose
// status changes. docs/pools.md has the rules of the counts and the conditions.
//
//  1. The Nodes must have different names, and so must the MachineConfigNodes. Their order makes no
//     difference.
//  2. A MachineConfigNode may be missing. MachineConfigNodes of other nodes are ignored.
//  3. The result has a copy of each condition and field of pool.Status that Status does not compute.
//  4. If pool.Status is up to date, the result equals pool.Status.
//  5. Status does not modify its arguments, and the result shares no memory with them.
func Status(
	pool *mcfgv1.MachineConfigPool,
	nodes []*corev1.Node,
	mcns []*mcfgv1.MachineConfigNode,
	options Options,
	now metav1.Time,
) mcfgv1.MachineConfigPoolStatus {
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
	status.Conditions = withConditions(status.Conditions, c, now.Rfc3339Copy())
	status.PoolSynchronizersStatus = withPinnedImageSets(status.PoolSynchronizersStatus, c)
	return status
}

// withPinnedImageSets sets the entry for PinnedImageSets in the list. It may modify the list. A node
// with all its pinned images counts as ready only if it is available, because the CRD rejects a
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
