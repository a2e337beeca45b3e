package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// State is where a node is in the rollout of its pool.
type State string

const (
	// Unreported is a node whose daemon has not reported the begin or the end of an update yet.
	Unreported State = "Unreported"
	// Waiting is a node that has its desired config and image, while its pool has another target.
	Waiting State = "Waiting"
	// Ordered is a node whose update has been ordered by its spec, and has not begun.
	Ordered State = "Ordered"
	// Updating is a node whose update has begun and is not over, or that is degraded.
	Updating State = "Updating"
	// Done is a node that has its desired config and image.
	Done State = "Done"
)

// Mark is the state of one step of an update.
type Mark string

const (
	// ToDo is a step that has not started.
	ToDo Mark = "ToDo"
	// Running is a step that is running, or failed and will be retried.
	Running Mark = "Running"
	// Finished is a step that is done.
	Finished Mark = "Finished"
	// Skipped is a step that did not run: reported as not required, or passed by a later one.
	Skipped Mark = "Skipped"
)

// Step is one step of an update: a phase without child phases.
type Step struct {
	Phase phases.Phase
	Mark  Mark
	// End is when the step finished, Took how long after the step that finished before it. They
	// are zero for a step that is not Finished, and once the update is over: the end of an
	// update overwrites the times of all conditions.
	End  time.Time
	Took time.Duration
}

// Node is the update of a node, as reported by its MachineConfigNode. A zero time is not known.
type Node struct {
	// Name and Pool are the names of the node and of its pool.
	Name, Pool string
	// UID is that of the MachineConfigNode: one that is created again under its name has another.
	UID types.UID
	// Desired and Current are the configs that the node is to have, and has.
	Desired, Current string

	State State
	// Steps are the steps of an update in their order. An update that does not reboot has its
	// post action in the reboot's place.
	Steps []Step
	// Step is the step that is running or next; Updated if only the end is missing; "" if the node
	// is done, not reported, or degraded outside of an update.
	Step phases.Phase

	// Since is when Step was reached: the end of the last finished step, or the begin of the
	// update; in state Ordered the time of the order, else the end of the last update.
	Since time.Time
	// Ordered is when the spec changed last.
	Ordered time.Time
	// Begun is when the active update began.
	Begun time.Time
	// Ended is when the last update ended, zero while one is active.
	Ended time.Time
	// Degraded is since when the node is degraded, zero while it is not, or where that is not
	// known: see IsDegraded.
	Degraded time.Time

	// Why is the message of NodeDegraded while it is True, else that of the running step, or of its
	// parent. It is unchanged: of any length, with any characters.
	Why string

	isDegraded bool   // also if the time is not known
	joined     bool   // no update has run yet: the order was the first config of a new node
	hasDesired bool   // config and image
	image      string // desired
}

// IsDegraded reports whether the node is degraded, also where it is not known since when.
func (n Node) IsDegraded() bool { return n.isDegraded || !n.Degraded.IsZero() }

// Limits tells how long a step may take before its node is stuck. A field that is not
// positive stands for its default.
type Limits struct {
	// Floor is how long any step may take. The default is 10 minutes.
	Floor time.Duration
	// Reboot is how long a reboot may take. The default is 30 minutes.
	Reboot time.Duration
	// Factor is how many times its median a step may take, if that is more. The default is 3.
	Factor float64
	// Samples is how many nodes must have finished a step for its median to count. The default
	// is 3.
	Samples int
}

// Stuck is a node that needs an administrator.
type Stuck struct {
	Node Node
	// For is how long it has been degraded, else how long it has been at its step.
	For time.Duration
	// Typical is the median duration of its step on the other nodes of this rollout, Samples
	// the number of these nodes.
	Typical time.Duration
	Samples int
}

// Pool is the rollout of one pool.
type Pool struct {
	Name string
	// Target is the config that the pool's nodes are to have; "" if it is not known.
	Target string
	Paused bool
	// Blocked reports whether nodes wait while the stuck ones take all of MaxUnavailable, in a paused
	// pool too.
	Blocked bool
	// MaxUnavailable is how many nodes may be updated at a time; 0 if the pool is not known.
	MaxUnavailable int

	// The number of nodes in each state. Their sum is len(Nodes).
	Done, Updating, Ordered, Waiting, Unreported int
	// Missing is how many nodes the pool's status counts beyond those that were passed: they have
	// no MachineConfigNode yet.
	Missing int

	// Stuck are the nodes in the states Ordered and Updating that need an administrator, the
	// longest first.
	Stuck []Stuck
	// Nodes are the nodes of the pool by name.
	Nodes []Node

	// Typical is the median duration of an update of the finished nodes, from the order to the
	// end; zero if it is not known.
	Typical time.Duration
	// Left is the time until only stuck nodes are left. It is valid if LeftKnown is set.
	Left      time.Duration
	LeftKnown bool
}

// Span is one bar of a timeline: a step of a node, from when to when.
type Span struct {
	Node string
	// Phase is the step; "" if the steps are not known, Updated for the time between the last
	// step and the end of the update.
	Phase phases.Phase
	// To is zero for a step that has not finished.
	From, To time.Time
}
