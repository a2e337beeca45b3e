package progress

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// State is where a node is in the rollout of its pool. A node is in exactly one.
type State string

const (
	// Done is a node that has the target of its pool.
	Done State = "Done"
	// Updating is a node whose update has been ordered by its spec and is not over.
	Updating State = "Updating"
	// Stuck is a node that is degraded, or at a step for longer than the Limits allow.
	Stuck State = "Stuck"
	// Waiting is a node that has what its spec desires, while its pool has another target.
	Waiting State = "Waiting"
	// Unreported is a node whose daemon has not reported the begin or the end of an update yet.
	Unreported State = "Unreported"
)

// Target is what nodes are updated to: a rendered config and, for a pool with an image of its own,
// the image by digest.
type Target struct {
	Config string `json:"config"`
	Image  string `json:"image"`
}

// StepState is the state of one step of an update.
type StepState string

const (
	// ToDo is a step that has not started.
	ToDo StepState = "ToDo"
	// Running is a step that is running, or failed and will be retried.
	Running StepState = "Running"
	// Finished is a step that is done.
	Finished StepState = "Finished"
	// Skipped is a step that did not run: reported as not required, or passed by a later one.
	Skipped StepState = "Skipped"
)

// Step is one step of an update: a phase without child phases.
type Step struct {
	Phase phases.Phase `json:"phase"`
	State StepState    `json:"state"`
	// End is when the step finished, Duration the time since the end of the step before it. They
	// are zero for a step that is not Finished, and once the update is over: the end of an
	// update overwrites the times of all conditions.
	End      time.Time     `json:"end,omitzero"`
	Duration time.Duration `json:"-"`
	// Message is that of the condition of a step that is Running or Finished.
	Message string `json:"message,omitempty"`
}

// Node is the update of a node, as reported by its MachineConfigNode. A zero time is not known. Its JSON has no durations.
type Node struct {
	// Name and Pool are the names of the node and of its pool.
	Name string `json:"name"`
	Pool string `json:"pool"`
	// UID is that of the MachineConfigNode: one that is created again under its name has another.
	UID types.UID `json:"-"`
	// Desired is what the spec desires, Current what the node has.
	Desired Target `json:"desired"`
	Current Target `json:"current"`

	State State `json:"state"`
	// Reported is set once the daemon has reported the begin or the end of an update. A daemon that
	// starts on a new node reports other conditions before.
	Reported bool `json:"-"`
	// Steps are the steps of an update in their order. An update that does not reboot has its
	// post action in the reboot's place.
	Steps []Step `json:"-"`
	// Step is the step that is running or next; Updated if only the end is missing; "" if the node
	// is not in an update.
	Step phases.Phase `json:"step,omitempty"`
	// NotBegun is set while an update is ordered and has not begun.
	NotBegun bool `json:"-"`

	// Since is when Step was reached: the end of the last finished step, or the begin of the
	// update, or the order while it has not begun, else the end of the last update.
	Since time.Time `json:"since,omitzero"`
	// Ordered is when the spec changed last.
	Ordered time.Time `json:"ordered,omitzero"`
	// Begun is when the active update began.
	Begun time.Time `json:"begun,omitzero"`
	// Ended is when the last update ended, zero while one is active.
	Ended time.Time `json:"ended,omitzero"`
	// Degraded is since when the node is degraded, zero while it is not, or where that is not
	// known: see IsDegraded.
	Degraded time.Time `json:"degradedSince,omitzero"`

	// Message is the message of NodeDegraded while it is True, else that of the running step, or
	// of its parent. It is unchanged: of any length, with any characters.
	Message string `json:"message,omitempty"`
	// PinnedImageSets are the sets that have failed or are pulled, the failed ones first.
	PinnedImageSets []PinnedImageSet `json:"pinnedImageSets,omitempty"`

	// For is how long the node has been degraded, else how long at its step. Typical is the median
	// duration of its step on the nodes of this rollout that have finished it, Samples their
	// number. Pools sets them, for nodes that are Updating or Stuck.
	For     time.Duration `json:"-"`
	Typical time.Duration `json:"-"`
	Samples int           `json:"samples,omitempty"`
	// Slow is set by Pools for a node that is Updating and takes much longer than Typical.
	Slow bool `json:"slow,omitempty"`

	isDegraded bool // also if the time is not known
	isNew      bool // no update has run yet: the order was the first config of the node
}

// IsDegraded reports whether the node is degraded, also where it is not known since when.
func (n Node) IsDegraded() bool { return n.isDegraded || !n.Degraded.IsZero() }

func (n Node) failsToPin() bool {
	return slices.ContainsFunc(n.PinnedImageSets, func(s PinnedImageSet) bool { return s.Failed })
}

// InUpdate reports whether an update of the node has been ordered and is not over.
func (n Node) InUpdate() bool { return n.Step != "" && n.State != Waiting }

// PinnedImageSet is a pinned image set that a node does not have yet.
type PinnedImageSet struct {
	// Name is empty where the node reports a failure of no set.
	Name    string    `json:"name,omitempty"`
	Failed  bool      `json:"failed"` // otherwise it is pulled
	Since   time.Time `json:"since,omitzero"`
	Message string    `json:"message,omitempty"` // of the failure
}

// Pool is the rollout of one pool. Its JSON has neither numbers nor durations.
type Pool struct {
	Name string `json:"name"`
	// Target is what the pool's nodes are to have. Its config is "" if it is not known.
	Target Target `json:"target"`
	Paused bool   `json:"paused"`
	// Blocked reports whether nodes wait for others that take all of MaxUnavailable: stuck ones, or,
	// while none is updated, those that the pool's status counts as unavailable. BlockedBy is what
	// they wait for: "1 node is unavailable". A pool that is paused is not blocked.
	Blocked   bool   `json:"blocked"`
	BlockedBy string `json:"blockedBy,omitempty"`
	// Unavailable is how many nodes the pool's status counts as unavailable, for any reason: not
	// ready, cordoned, being updated or degraded.
	Unavailable int `json:"unavailable,omitempty"`
	// MaxUnavailable is how many nodes may be updated at a time; 0 if the pool is not known.
	MaxUnavailable int `json:"maxUnavailable,omitempty"`

	// The number of nodes in each state.
	Done       int `json:"-"`
	Updating   int `json:"-"`
	Stuck      int `json:"-"`
	Waiting    int `json:"-"`
	Unreported int `json:"-"`
	// Missing is how many of the Unreported nodes have no MachineConfigNode: the pool's status
	// counts them.
	Missing int `json:"-"`

	// Problems are the conditions of the pool that are not well and that no node explains.
	Problems []PoolCondition `json:"problems"`
	// Build is the condition of an image that is being built, nil for none.
	Build *PoolCondition `json:"build,omitempty"`
	// Nodes are the nodes of the pool by name.
	Nodes []Node `json:"-"`

	// Typical is the median duration of an update of the finished nodes, from the order to the
	// end; zero if it is not known.
	Typical time.Duration `json:"-"`
	// Remaining is the time until all nodes that are not stuck are done; nil if it is not known.
	Remaining *time.Duration `json:"-"`
}

// Total returns how many nodes the pool has: the sum of those in each state.
func (p Pool) Total() int { return p.Done + p.Updating + p.Stuck + p.Waiting + p.Unreported }

// IsDone reports whether all nodes have the target, and neither the pool nor a pinned image set of a node
// has a problem.
func (p Pool) IsDone() bool {
	return p.Done == p.Total() && len(p.Problems) == 0 && p.Build == nil && !slices.ContainsFunc(p.Nodes, Node.failsToPin)
}

// PoolCondition is a condition of a MachineConfigPool that is True.
type PoolCondition struct {
	Type    string    `json:"type"`
	Since   time.Time `json:"since,omitzero"`
	Message string    `json:"message"`
}

// Span is one bar of a timeline: a step of a node, from when to when.
type Span struct {
	Node string
	// Target is what the node was updated to. Of an update that was over when it was first observed,
	// and was followed by another order, the image is not known.
	Target Target
	// Phase is the step; "" if the steps are not known, Updated for the time between the last
	// step and the end of the update.
	Phase phases.Phase
	// To is zero for a step that has not finished.
	From, To time.Time
}
