package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// State is the state of a node in the rollout of its pool.
type State string

const (
	// Done is a node that has the target of its pool.
	Done State = "Done"
	// Updating is a node whose update was requested by its spec and is not complete.
	Updating State = "Updating"
	// Stuck is a node that is degraded, or at a step for longer than the Limits allow.
	Stuck State = "Stuck"
	// Waiting is a node that has its desired config and image, while its pool has another target.
	Waiting State = "Waiting"
	// Idle is a node that has its desired config and image, while the target of its pool is not
	// known.
	Idle State = "Idle"
	// Unreported is a node whose daemon has not reported the start or the end of an update yet.
	Unreported State = "Unreported"
)

// Target is what a node is updated to: a rendered config and, in a layered pool, the image by
// digest.
type Target struct{ Config, Image string }

// Node is the progress of a node's update, read from its MachineConfigNode. A time that is not
// known is zero.
type Node struct {
	// Name and Pool are the names of the node and of its pool.
	Name, Pool string
	// UID is the UID of the MachineConfigNode. A new object of the same name has another UID.
	UID types.UID
	// Desired is the target in the spec. Current is what the node runs.
	Desired, Current Target

	State State
	// Reported is set once the daemon has reported the start or the end of an update. The daemon of
	// a new node reports other conditions first.
	Reported bool
	// Steps are the steps of the current update in order, or nil if the node is not in an update.
	// If the update does not reboot, the post action takes the place of the reboot.
	Steps []Step
	// Step is the step that is running or has failed, or else the next step. It is Updated if only
	// the end of the update is missing, and "" if the node is not in an update.
	Step phases.Phase
	// NotStarted is set while an update has been requested, but has not started.
	NotStarted bool

	// Requested is when the spec last changed, Started when the current update started, and
	// Completed when the last update completed. Completed is zero while an update is running.
	Requested, Started, Completed time.Time
	// Since is when the node reached Step: when the last step finished, or when the update started.
	// If the update has not started, Since is Requested. If there is no update, Since is Completed.
	Since time.Time
	// DegradedSince may be zero even if the node is Degraded.
	Degraded      bool
	DegradedSince time.Time

	// Message is the cause of a failure, or else the message of the running step: see
	// FromMachineConfigNode.
	Message string
	// Failing is set while the running step reports an error. The daemon retries the step.
	Failing bool
	// Pods are the pods that a failing drain waits for.
	Pods []Pod
	// PinnedImageSets are the sets that have failed or are being pulled, failed sets first.
	PinnedImageSets []PinnedImageSet

	// NotReady and Cordoned describe the Node. A caller that may read Nodes sets them.
	NotReady, Cordoned bool

	// The function Pools sets the fields below, for nodes that are Updating or Stuck. For is how
	// long the node has been degraded, or else how long it has been at its step. Slow is set if an
	// Updating node is Failing, or if its step takes longer than a third of the limit.
	For  time.Duration
	Slow bool

	isNew bool // no update has run yet: Requested is when the node got its first config
}

// InUpdate reports whether an update of the node has been requested and is not complete.
func (n Node) InUpdate() bool { return n.Step != "" }

// IsAvailable reports whether a node does not count against MaxUnavailable, as far as is known.
func (n Node) IsAvailable() bool { return !n.Degraded && !n.InUpdate() && !n.NotReady && !n.Cordoned }

func (n Node) hasDesired() bool { return n.Desired == n.Current }
