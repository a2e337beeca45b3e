package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Pool is the progress of one pool.
type Pool struct {
	Name string
	// Known is true if the MachineConfigPool is known. Otherwise Target is empty.
	Known bool
	// Target is the config and the image that all nodes of the pool should run. It has no image if the pool AwaitsImage.
	Target progress.Target
	Paused bool
	// Sources are the names of the MachineConfigs that the config of Target was rendered from.
	Sources []string
	// TargetSet is when the config of Target became the target: when it was created or, if that is later, when
	// the pool was told to have it. It is zero if neither is known.
	TargetSet time.Time
	// Observed is true if the controller has looked at Target and at the last change of the pool: the status of
	// the pool is not empty, not about another target, and not behind the spec.
	Observed bool
	// PausedBy is the last write of the manager that paused the pool, if that is known.
	PausedBy mco.Write
	// Updated is true if the pool's condition Updated is True for Target, and no other image is being built for it.
	Updated bool
	// MaxUnavailable is the number of places for unavailable nodes. Unavailable is the number of
	// UnavailableNodes, and Taken is the number of places that they take: see mco.Node.Places. If
	// Nodes are not known, both are at least the unavailableMachineCount of the pool's status.
	MaxUnavailable, Unavailable, Taken int
	// InvalidLimit is the maxUnavailable of the pool if it is a text that is no percentage. Then the controller selects
	// no node.
	InvalidLimit string
	// Full is true if nodes are Waiting that take no place themselves, no place is free, and some unavailable nodes
	// are not Updating. A Full pool is Blocked if the unavailable nodes that are not Updating take all
	// places. A paused pool, or one with an InvalidLimit, is never Full or Blocked.
	Full, Blocked bool
	// Stalled is true if nodes are Waiting, no known change of the last 2 minutes may have freed a place, and either a
	// place is free and no node is Updating, or the pool has an InvalidLimit. A pool with a Build or with Problems, or
	// that is not Observed, is not Stalled. StalledSince is the time of the last such change: see placeFree. It is zero
	// if that may have been before the pool got its target.
	Stalled      bool
	StalledSince time.Time
	// WaitsFor is the pool whose nodes machine-config-operator waits for before it updates a node of
	// this pool, or nil.
	WaitsFor *Pool

	Counts
	// Missing is the number of machines that the pool's status counts, but that have no known Node or
	// MachineConfigNode. As many of them are Done as the status counts updated machines
	// that are not known. If Updated is true, all of them are Done. The others are Unreported. If Partial
	// is true, the dump has other Nodes, and Counts does not have the missing machines: the status may be
	// out of date.
	Missing int
	Partial bool
	// Moved has the nodes that have left the pool, if the status of a dump still counts them.
	Moved []string
	// FromStatus is true if the pool's status counts machines, but no Node and no MachineConfigNode
	// of the pool is known. Then Done and Stuck are the numbers of updated and degraded machines in
	// the status, all other machines are Unreported, and Nodes has only the degraded nodes that the
	// status names.
	FromStatus bool

	// Problems are the conditions of the pool that report a failure. If the field Nodes already
	// shows a failure, Problems does not repeat it.
	Problems []PoolCondition
	// Build is the state of the pool's image build. It is nil if there is no build, or if a node
	// already has the image or applies it.
	Build *PoolCondition
	// DegradedSince is when the first node became degraded: the time of the pool's condition
	// NodeDegraded. It is zero if the condition is not True.
	DegradedSince time.Time
	// Unobserved is set if nodes are Waiting, a place is free, no node is Updating, and the controller is late: it has
	// not looked at Target for 2 minutes or an unknown time, or at the nodes, which the status counts otherwise
	// than they are. Message says which: target or nodes.
	Unobserved *PoolCondition
	// NotUpdated is set if all nodes are Done, and only the pool's condition Updated disagrees.
	NotUpdated *PoolCondition
	// Certificates are the certificates that expire soon, sorted by Expires.
	Certificates []Certificate
	// Nodes are the nodes of the pool, sorted by name.
	Nodes []Node

	// Typical is the median duration of an update to Target, from Node.Requested to Node.Completed.
	// It is zero if no duration is known.
	Typical time.Duration
	// Remaining is the estimated time until all nodes are Done. It is nil if no estimate is
	// possible.
	Remaining *time.Duration

	written     time.Time       // the last write of the spec, or zero
	begun       time.Time       // when the condition Updating became True, or zero
	toObserve   time.Time       // when the controller got what it has not looked at, or zero
	machines    int             // the number of machines in the status
	updated     int             // the number of updated machines in the status
	lastConfig  string          // the config of the status, if it has another one
	lastSources []string        // its Sources
	selector    labels.Selector // of MachineConfigs, or nil
	notUpdated  PoolCondition   // the result of updatedOf, which setNotUpdated copies to NotUpdated
}

// PoolCondition is a condition of a MachineConfigPool or, in Facts.Operator, of the ClusterOperator. Type is the type of the
// condition. But the type of Build is BuildPending, Building or BuildSucceeded, and Unobserved and NotUpdated have their names.
type PoolCondition struct {
	Type    string    `json:"type"`
	Since   time.Time `json:"since,omitzero"`
	Message string    `json:"message"`
}

// IsOfBuild reports whether the condition is about an image build.
func (c PoolCondition) IsOfBuild() bool { return strings.Contains(c.Type, "Build") }

// Certificate is a certificate of a pool.
type Certificate struct {
	Subject string
	Expires time.Time
}

// Counts are the numbers of nodes in each state.
type Counts struct {
	Done       int `json:"done"`
	Updating   int `json:"updating"`
	Stuck      int `json:"stuck"`
	Waiting    int `json:"waiting"`
	Idle       int `json:"idle"`
	Unreported int `json:"unreported"`
}

// Total returns the number of nodes in all states.
func (c Counts) Total() int {
	return c.Done + c.Updating + c.Stuck + c.Waiting + c.Idle + c.Unreported
}

// IsDone reports whether the pool is done: all nodes are Done, the pool is Updated, it has no Problems, and all
// pinned image sets are pulled.
func (p Pool) IsDone() bool {
	return p.Updated && p.Done == p.Total() && len(p.Problems) == 0 && !slices.ContainsFunc(p.Nodes, Node.isPulling)
}

// NotUpdatedSince returns when the pool's condition Updated became False, or zero.
func (p Pool) NotUpdatedSince() time.Time { return p.notUpdated.Since }

// IsBuilding reports whether the pool waits for an image that is not built yet.
func (p Pool) IsBuilding() bool { return p.Build != nil && p.Build.Type != BuildSucceeded }

// AwaitsImage reports whether no node has the image of the target. Then its name is not known.
func (p Pool) AwaitsImage() bool {
	return p.Build != nil || p.isImageMissing()
}

// isImageMissing reports whether the image that the pool waits for is not built.
func (p Pool) isImageMissing() bool {
	return !p.Updated && (p.IsBuilding() || slices.ContainsFunc(p.Problems, PoolCondition.IsOfBuild))
}

// NodesIn returns the nodes in a state.
func (p Pool) NodesIn(s State) []Node {
	return slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return n.State != s })
}

// StuckNodes returns the stuck nodes: first the degraded nodes, then the other stuck nodes. In each
// group, the node with the longest Node.For comes first.
func (p Pool) StuckNodes() []Node {
	stuck := p.NodesIn(Stuck)
	rank := map[bool]int{false: 1}
	slices.SortStableFunc(stuck, func(a, b Node) int {
		return cmp.Or(rank[a.Degraded]-rank[b.Degraded], cmp.Compare(b.For, a.For))
	})
	return stuck
}

// UnavailableNodes returns the nodes that take places.
func (p Pool) UnavailableNodes() []Node {
	return slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return p.Places(n) == 0 })
}

// IsDoubled reports whether the pool is Blocked only because a node takes two places.
func (p Pool) IsDoubled() bool {
	nodes := slices.DeleteFunc(p.UnavailableNodes(), func(n Node) bool { return n.State == Updating })
	return p.Blocked && len(nodes)+p.Unavailable-len(p.UnavailableNodes()) < p.MaxUnavailable
}

// Places returns how many places a node of the pool takes: see mco.Node.Places.
func (p Pool) Places(n Node) int { return n.Places(p.Target) }

// hasUnavailable reports whether a node of the pool is unavailable. A node that only fails to update is
// available.
func (p Pool) hasUnavailable() bool {
	isUnavailable := func(n Node) bool { return n.Places(progress.Target{}) > 0 }
	return slices.ContainsFunc(p.Nodes, isUnavailable)
}
