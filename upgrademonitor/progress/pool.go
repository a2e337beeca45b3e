package progress

import (
	"cmp"
	"slices"
	"time"
)

// Pool is the rollout of one pool.
type Pool struct {
	Name string
	// Known is set if the MachineConfigPool was passed. Otherwise there is no target.
	Known bool
	// Target is what the pool's nodes should have. Its config is "" if it is not known.
	Target Target
	Paused bool
	// MaxUnavailable is how many nodes may be updated at a time, and Unavailable how many nodes take
	// these places, for any reason: see UnavailableNodes. The pool's status may count more than those.
	MaxUnavailable, Unavailable int
	// Full is set while nodes wait for a place, and not only for updates that run. Blocked is set if
	// none of the places will be free soon.
	Full, Blocked bool

	// The number of nodes in each state.
	Done, Updating, Stuck, Waiting, Idle, Unreported int
	// Missing is how many nodes have no MachineConfigNode: the pool's status counts them. FromStatus is
	// set if that is true of all nodes. Then Done and Stuck are the updated and the degraded machines of
	// the status, all other nodes are Unreported, and Nodes are those that the pool reports as degraded.
	Missing    int
	FromStatus bool

	// Problems are the conditions of the pool that report a failure and that no node explains.
	Problems []PoolCondition
	// Build is the condition of an image that is being built, nil for none.
	Build *PoolCondition
	// Nodes are the nodes of the pool by name.
	Nodes []Node

	// Typical is the median duration of the updates of the nodes that are Done, from the request to
	// the end; zero if it is not known.
	Typical time.Duration
	// Remaining is the time until all nodes are done; nil if it is not known.
	Remaining *time.Duration

	isUpdated     bool      // the condition Updated is True for the target
	degradedSince time.Time // of the condition NodeDegraded
}

// PoolCondition is a condition of a MachineConfigPool that is True.
type PoolCondition struct {
	Type    string
	Since   time.Time
	Message string
}

// Total returns how many nodes the pool has: the sum of the numbers of each state.
func (p Pool) Total() int {
	return p.Done + p.Updating + p.Stuck + p.Waiting + p.Idle + p.Unreported
}

// IsDone reports whether all nodes have the target, and neither the pool nor a pinned image set of a
// node has a problem. If no node has a MachineConfigNode, the pool's condition Updated decides.
func (p Pool) IsDone() bool {
	return p.Known && p.Done == p.Total() && (p.isUpdated || !p.FromStatus) &&
		len(p.Problems) == 0 && p.Build == nil && !slices.ContainsFunc(p.Nodes, Node.failsToPin)
}

// StuckNodes returns the nodes that are stuck: degraded nodes first, then by how long they are stuck.
func (p Pool) StuckNodes() []Node {
	stuck := slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return n.State != Stuck })
	rank := map[bool]int{false: 1}
	slices.SortStableFunc(stuck, func(a, b Node) int {
		return cmp.Or(rank[a.Degraded]-rank[b.Degraded], cmp.Compare(b.For, a.For))
	})
	return stuck
}

// UnavailableNodes returns the nodes that take the places of MaxUnavailable: nodes that are degraded, in
// an update, not ready or cordoned.
func (p Pool) UnavailableNodes() []Node {
	return slices.DeleteFunc(slices.Clone(p.Nodes), Node.IsAvailable)
}
