package cluster

import (
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// State is the state of a node in its pool.
type State string

const (
	// Done means that the node runs the config and the image of its pool's target.
	Done State = "Done"
	// Updating means that an update of the node was requested and is not complete.
	Updating State = "Updating"
	// Stuck means that the node is degraded, or that its step takes longer than its limit (see
	// Limits).
	Stuck State = "Stuck"
	// Waiting means that the node runs its desired config and image, but its pool has another
	// target.
	Waiting State = "Waiting"
	// Idle means that the node runs its desired config and image, and that the target of its pool
	// is not known.
	Idle State = "Idle"
	// Unreported means that the daemon has not yet reported the start or the end of an update.
	Unreported State = "Unreported"
)

// Node is a node in the update of its pool.
type Node struct {
	progress.Node
	// NotReady and Cordoned describe the corev1.Node. A caller that reads Nodes can set them.
	NotReady, Cordoned bool
	// State is the state of the node in its pool. The function Pools sets it.
	State State
	// For is how long the node has been degraded or, if it is not degraded, how long it has been at
	// Step. The function Pools sets For if the node is Updating or Stuck.
	For time.Duration
	// Slow is true if an Updating node is Failing, or has been at Step for more than a third of the
	// limit of Step (see Limits). The function Pools sets Slow.
	Slow bool

	isNew bool // no update has run yet, so Requested is the time when the node got its first config
}

// NewNode reads a node from its object.
func NewNode(mcn *mcfgv1.MachineConfigNode) Node {
	return Node{Node: progress.FromMachineConfigNode(mcn), isNew: neverUpdated(mcn.Status.Conditions)}
}

// neverUpdated reports whether the list has conditions of update steps, but none of these steps was
// ever reported.
func neverUpdated(list []metav1.Condition) bool {
	isStep := func(c metav1.Condition) bool { return phases.StartsUpdate(phases.Phase(c.Type)) }
	return slices.ContainsFunc(list, isStep) && !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		return isStep(c) && (c.Status != metav1.ConditionFalse || !conditions.IsReservedReason(c.Reason))
	})
}

// IsAvailable reports whether the node is not degraded, not in an update, ready and not cordoned.
func (n Node) IsAvailable() bool { return n.Node.IsAvailable() && !n.NotReady && !n.Cordoned }

func (n Node) failsToPin() bool {
	return slices.ContainsFunc(n.PinnedImageSets, func(s progress.PinnedImageSet) bool { return s.Failed })
}

func (n Node) hasDesired() bool { return n.Desired == n.Current }
