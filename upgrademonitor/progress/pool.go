package progress

import (
	"cmp"
	"slices"
	"time"
)

// Pool is the rollout of one pool.
type Pool struct {
	Name string
	// Known is set if the MachineConfigPool was passed to Pools. Otherwise the target is not known.
	Known bool
	// Target is what the pool's nodes should run. Its config is "" if it is not known.
	Target Target
	Paused bool
	// MaxUnavailable is how many nodes may be unavailable at a time. Unavailable is how many nodes
	// are unavailable, for any reason: UnavailableNodes, or the count in the pool's status if it is
	// higher.
	MaxUnavailable, Unavailable int
	// Full is set while nodes wait because MaxUnavailable is reached, and not only by running
	// updates. Blocked is set if no running update can make room for a waiting node. See Pools.
	Full, Blocked bool

	// The number of nodes in each state.
	Done, Updating, Stuck, Waiting, Idle, Unreported int
	// Missing is how many machines in the pool's status have no MachineConfigNode. FromStatus is
	// set if no machine has a MachineConfigNode. Then Done and Stuck are the counts of updated and
	// degraded machines in the status, all other machines are Unreported, and Nodes are the nodes
	// that the pool reports as degraded.
	Missing    int
	FromStatus bool

	// Problems are the conditions of the pool that report a failure, unless a node explains it.
	Problems []PoolCondition
	// Build is the condition of a running or pending build of the pool's image, or nil.
	Build *PoolCondition
	// Nodes are the nodes of the pool by name.
	Nodes []Node

	// Typical is the median duration of the updates of the nodes that are Done, from request to
	// completion. It is zero if it is not known.
	Typical time.Duration
	// Remaining is the estimated time until all nodes are Done, or nil if it is not known.
	Remaining *time.Duration

	isUpdated     bool      // the condition Updated is True for the target
	degradedSince time.Time // since when NodeDegraded of the pool is True
}

// PoolCondition is a condition of a MachineConfigPool that is True.
type PoolCondition struct {
	Type    string
	Since   time.Time
	Message string
}

// Total returns how many nodes the pool has, in all states together.
func (p Pool) Total() int {
	return p.Done + p.Updating + p.Stuck + p.Waiting + p.Idle + p.Unreported
}

// IsDone reports whether all nodes are Done, no image is being built, and neither the pool nor a
// pinned image set of a node has a problem. If no node has a MachineConfigNode, the pool must also
// be Updated.
func (p Pool) IsDone() bool {
	return p.Known && p.Done == p.Total() && (p.isUpdated || !p.FromStatus) &&
		len(p.Problems) == 0 && p.Build == nil && !slices.ContainsFunc(p.Nodes, Node.failsToPin)
}

// StuckNodes returns the stuck nodes: degraded nodes first, in each group the longest For first.
func (p Pool) StuckNodes() []Node {
	stuck := slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return n.State != Stuck })
	rank := map[bool]int{false: 1}
	slices.SortStableFunc(stuck, func(a, b Node) int {
		return cmp.Or(rank[a.Degraded]-rank[b.Degraded], cmp.Compare(b.For, a.For))
	})
	return stuck
}

// UnavailableNodes returns the nodes that count against MaxUnavailable: nodes that are degraded, in
// an update, not ready or cordoned.
func (p Pool) UnavailableNodes() []Node {
	return slices.DeleteFunc(slices.Clone(p.Nodes), Node.IsAvailable)
}
