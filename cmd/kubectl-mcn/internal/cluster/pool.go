package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Pool is the progress of one pool.
type Pool struct {
	Name string
	// Known is true if the MachineConfigPool was passed to Pools. Otherwise Target is empty.
	Known bool
	// Target is the config and the image that all nodes of the pool should run.
	Target progress.Target
	Paused bool
	// MaxUnavailable is the maximum number of unavailable nodes. Unavailable is the number of
	// UnavailableNodes or the unavailableMachineCount of the pool's status, whichever is higher.
	MaxUnavailable, Unavailable int
	// Full is true if nodes are Waiting, MaxUnavailable is reached, and some unavailable nodes are
	// not Updating. Blocked is true if the Waiting nodes must wait even after all running updates
	// have completed. See rule 5 of Pools.
	Full, Blocked bool

	// The number of nodes in each state.
	Done, Updating, Stuck, Waiting, Idle, Unreported int
	// Missing is the number of machines in the pool's status that have no MachineConfigNode.
	Missing int
	// FromStatus is true if no machine of the pool has a MachineConfigNode. Done and Stuck are then
	// the numbers of updated and degraded machines in the pool's status, and all other machines are
	// Unreported. Nodes has only the degraded nodes that the pool's status names.
	FromStatus bool

	// Problems are the conditions of the pool that report a failure. If the field Nodes already
	// shows a failure, Problems does not repeat it.
	Problems []PoolCondition
	// Build is the condition of a running or pending build of the pool's image, or nil.
	Build *PoolCondition
	// Nodes are the nodes of the pool, sorted by name.
	Nodes []Node

	// Typical is the median duration of an update to Target, from Node.Requested to Node.Completed.
	// It is zero if no duration is known.
	Typical time.Duration
	// Remaining is the estimated time until all nodes are Done. It is nil if no estimate is
	// possible.
	Remaining *time.Duration

	isUpdated     bool      // the pool's condition Updated is True for Target
	degradedSince time.Time // when the pool's condition NodeDegraded became True
}

// PoolCondition is a MachineConfigPool condition whose status is True.
type PoolCondition struct {
	Type    string
	Since   time.Time
	Message string
}

// Total returns the number of nodes in all states.
func (p Pool) Total() int {
	return p.Done + p.Updating + p.Stuck + p.Waiting + p.Idle + p.Unreported
}

// IsDone reports whether all nodes are Done, the pool has no Problems and no Build, and no pinned
// image set has failed. If FromStatus is true, the pool's condition Updated must also be True.
func (p Pool) IsDone() bool {
	return p.Known && p.Done == p.Total() && (p.isUpdated || !p.FromStatus) &&
		len(p.Problems) == 0 && p.Build == nil && !slices.ContainsFunc(p.Nodes, Node.failsToPin)
}

// StuckNodes returns the stuck nodes: first the degraded nodes, then the other stuck nodes. In each
// group, the node with the longest Node.For comes first.
func (p Pool) StuckNodes() []Node {
	stuck := slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return n.State != Stuck })
	rank := map[bool]int{false: 1}
	slices.SortStableFunc(stuck, func(a, b Node) int {
		return cmp.Or(rank[a.Degraded]-rank[b.Degraded], cmp.Compare(b.For, a.For))
	})
	return stuck
}

// UnavailableNodes returns the nodes that count against MaxUnavailable: see Node.IsAvailable.
func (p Pool) UnavailableNodes() []Node {
	return slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return n.IsAvailable() })
}

// poolCondition returns a condition of the pool, or the zero value if the condition is not True.
func poolCondition(p *mcfgv1.MachineConfigPool, t mcfgv1.MachineConfigPoolConditionType) PoolCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == t && c.Status == "True" {
			return PoolCondition{Type: string(t), Message: c.Message, Since: c.LastTransitionTime.UTC()}
		}
	}
	return PoolCondition{}
}

// problemsOf returns the conditions of a pool that report a failure. It omits a condition if a more
// specific condition of the pool or of a node explains the failure.
func problemsOf(p *mcfgv1.MachineConfigPool, nodes []Node) []PoolCondition {
	nodeDegraded := slices.ContainsFunc(nodes, func(n Node) bool { return n.Degraded })
	nodeFailsToPin := slices.ContainsFunc(nodes, Node.failsToPin)
	var all []PoolCondition
	add := func(explained bool, types ...mcfgv1.MachineConfigPoolConditionType) bool {
		for _, t := range types {
			if c := poolCondition(p, t); c.Type != "" {
				if !explained {
					all = append(all, c)
				}
				return true
			}
		}
		return explained
	}
	explained := add(false, mcfgv1.MachineConfigPoolRenderDegraded)
	explained = add(false, mcfgv1.MachineConfigPoolImageBuildDegraded, mcfgv1.MachineConfigPoolBuildFailed, mcfgv1.MachineConfigPoolBuildInterrupted) || explained
	explained = add(nodeFailsToPin, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, mcfgv1.MachineConfigPoolSynchronizerDegraded) || explained
	explained = add(nodeDegraded, mcfgv1.MachineConfigPoolNodeDegraded) || explained
	add(explained, mcfgv1.MachineConfigPoolDegraded)
	return all
}

// buildOf returns the condition of a running or pending image build, or nil. If the pool has
// no such condition yet, but the message of Updating says that the pool waits for a build, buildOf
// returns a copy of Updating, with its type changed to Building.
func buildOf(p *mcfgv1.MachineConfigPool) *PoolCondition {
	for _, t := range []mcfgv1.MachineConfigPoolConditionType{mcfgv1.MachineConfigPoolBuilding, mcfgv1.MachineConfigPoolBuildPending} {
		if c := poolCondition(p, t); c.Type != "" {
			return &c
		}
	}
	if c := poolCondition(p, mcfgv1.MachineConfigPoolUpdating); strings.Contains(c.Message, "waiting for OS image build") {
		c.Type = string(mcfgv1.MachineConfigPoolBuilding)
		return &c
	}
	return nil
}
