package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// State is where a node is in the rollout of its pool. A node is in exactly one.
type State string

const (
	// Done is a node that has the target of its pool.
	Done State = "Done"
	// Updating is a node whose update was requested by its spec and is not complete.
	Updating State = "Updating"
	// Stuck is a node that is degraded, or at a step for longer than the Limits allow.
	Stuck State = "Stuck"
	// Waiting is a node that has what its spec desires, while its pool has another target.
	Waiting State = "Waiting"
	// Idle is a node that has what its spec desires, while the target of its pool is not known.
	Idle State = "Idle"
	// Unreported is a node whose daemon has not reported the start or the end of an update yet.
	Unreported State = "Unreported"
)

// Target is what nodes are updated to: a rendered config and, for a pool with an image of its own,
// the image by digest.
type Target struct{ Config, Image string }

// Node is the update of a node, as its MachineConfigNode reports it. A zero time is not known.
type Node struct {
	// Name and Pool are the names of the node and of its pool.
	Name, Pool string
	// UID is the UID of the MachineConfigNode. A new object of the same name has another UID.
	UID types.UID
	// Desired is what the spec desires, Current what the node has.
	Desired, Current Target

	State State
	// Reported is set once the daemon has reported the start or the end of an update. The daemon of
	// a new node reports other conditions before.
	Reported bool
	// Steps are the steps of the current update in their order, nil if the node is not in an update. An
	// update that does not reboot has its post action in the reboot's place.
	Steps []Step
	// Step is the step that is running or next; Updated if only the end is missing; "" if the node
	// is not in an update.
	Step phases.Phase
	// NotStarted is set while an update is requested and has not started.
	NotStarted bool

	// Requested is when the spec changed last, Started when the current update started, Completed
	// when the last update completed, zero while an update is running.
	Requested, Started, Completed time.Time
	// Since is when Step was reached: the end of the last finished step, or the start of the update,
	// or its request while it has not started, else the end of the last update.
	Since time.Time
	// DegradedSince may be unknown for a node that is Degraded.
	Degraded      bool
	DegradedSince time.Time

	// Message is the cause of a failure, else the message of the running step: see FromMachineConfigNode.
	Message string
	// Failing is set while the running step reports an error, and will be retried.
	Failing bool
	// Pods are the pods that a failing drain waits for.
	Pods []Pod
	// PinnedImageSets are the sets that have failed or are being pulled, the failed sets first.
	PinnedImageSets []PinnedImageSet

	// NotReady and Cordoned are the state of the Node. The caller sets them, if it may read Nodes.
	NotReady, Cordoned bool

	// Pools sets the fields below, for nodes that are Updating or Stuck. For is how long the node has
	// been degraded, else how long it has been at its step. Slow is set for a node that is Updating, and
	// whose step is Failing, or takes longer than a third of the limit.
	For  time.Duration
	Slow bool

	isNew bool // no update has run yet: the request was the first config of the node
}

// InUpdate reports whether an update of the node has been requested and is not complete.
func (n Node) InUpdate() bool { return n.Step != "" }

// IsAvailable reports whether a node takes no place of MaxUnavailable, as far as that is known.
func (n Node) IsAvailable() bool { return !n.Degraded && !n.InUpdate() && !n.NotReady && !n.Cordoned }

func (n Node) hasDesired() bool { return n.Desired == n.Current }
