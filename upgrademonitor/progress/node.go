package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// Target is the target of an update: a rendered config and, in a layered pool, an image by digest.
type Target struct{ Config, Image string }

// Node is the state of a node, read from its Node and its MachineConfigNode by the function Of. An
// unknown time is zero.
type Node struct {
	// Pool is the pool in the spec of the MachineConfigNode. The labels of a Node may select another
	// pool: see pool.Primary.
	Name, Pool string
	// HasNode and HasObject say whether the Node and its MachineConfigNode were passed to Of. A
	// MachineConfigNode without conditions, or of an earlier Node of that name, does not count.
	HasNode, HasObject bool
	// UID is the UID of the MachineConfigNode. If the object is deleted and created again, the new
	// object has another UID.
	UID types.UID
	// Desired is what the node is told to run. Current is what the node runs.
	Desired, Current Target

	// Reported is true once the daemon has reported the start or the end of an update. The daemon
	// of a new node reports other conditions first.
	Reported bool
	// Steps are the steps of the current update, in order. Steps is nil if the node is not in an
	// update. An update that does not reboot has UpdatePostActionComplete in place of RebootedNode.
	Steps []Step
	// Step is the step that is running or has failed. If no step is running or has failed, Step is
	// the next step, or Updated after the last step. Step is "" if the node is not in an update.
	Step phases.Phase
	// NotStarted is true if an update was requested, but has not started.
	NotStarted bool

	// Requested is when Desired was requested: the last write of the MachineConfigNode's spec or, if
	// the spec has another target, of the Node's annotation. Started is when the current update
	// started. Completed is when the last update ended, or zero while an update is running.
	Requested, Started, Completed time.Time
	// Since is when the node reached Step: the time when the last step finished or, if no step has
	// finished, the start of the update. The lastTransitionTime of a running step does not count,
	// because some daemons change it with each message. Before an update starts, Since is Requested.
	// If the node is not in an update, Since is Completed.
	Since time.Time
	// DegradedSince is when NodeDegraded became True. It is zero if only the Node says that the node
	// is degraded, because annotations have no time.
	Degraded      bool
	DegradedSince time.Time
	// Reports are the message of NodeDegraded, without the prefix "Action during update to …", and
	// the reason annotation of the Node if it has another text. Reports is empty if the node is not
	// degraded.
	Reports []string

	// Message is the cause of a failure or, if there is no failure, the message of the running
	// step. The cause is the most specific of the error of the step and the Reports.
	Message string
	// Failing is true while the running step reports an error and the daemon retries the step.
	Failing bool
	// Pods are the pods that a failing drain waits for.
	Pods []Pod
	// PinnedImageSets are the sets that have failed, then the sets that are being pulled.
	PinnedImageSets []PinnedImageSet

	// Unavailable has the reasons of the Node for which machine-config-operator counts the node as
	// unavailable. An update and a failure are not among them. It is empty if HasNode is false.
	Unavailable []Unavailable
	// DesiredDrain is the daemon's last request to the drain controller, and LastAppliedDrain is the
	// last request that was carried out. Examples: drain-<config>, uncordon-<config>.
	DesiredDrain, LastAppliedDrain string

	isTold bool // the annotations of the Node tell the node to update
	isIdle bool // the daemon has not started the update that isTold is about
}

// InUpdate reports whether an update of the node was requested and is not complete. If the
// MachineConfigNode does not show the update, Step is "".
func (n Node) InUpdate() bool { return n.Step != "" || n.isTold }

// IsAvailable reports whether the node is neither degraded nor in an update, and Unavailable is
// empty. A node that is not available counts against maxUnavailable of its pool.
func (n Node) IsAvailable() bool { return !n.Degraded && !n.InUpdate() && len(n.Unavailable) == 0 }

func (n Node) hasDesired() bool { return n.Desired == n.Current }
