package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// Target is the config and the image that a node runs or should run. Config is the name of a
// rendered MachineConfig. Image is the pull spec of the node's own OS image, or "" if the node uses
// the OS image of the release.
type Target struct{ Config, Image string }

// Node is the state of a node, read from its Node and its MachineConfigNode by the function Of. An
// unknown time is zero.
//
// Some comments below say that only the Node shows the update. This means that the annotations of
// the Node request an update, and the daemon is working on the update, but the daemon has not
// reported the update on the MachineConfigNode.
type Node struct {
	// Pool is the pool in the spec of the MachineConfigNode. It may differ from the pool that
	// selects the Node: see pool.Primary.
	Name, Pool string
	// HasNode is true if a Node was passed to Of.
	HasNode bool
	// HasObject is true if a MachineConfigNode was passed to Of, has conditions, and does not belong
	// to an earlier Node of the same name.
	HasObject bool
	// UID is the UID of the MachineConfigNode. If the object is deleted and created again, the new
	// object has another UID.
	UID types.UID
	// Desired is the config and image that the node is told to run. Current is the config and image
	// that the node runs.
	Desired, Current Target

	// Reported is true once the daemon has reported the start or the end of an update. The daemon
	// of a new node reports other conditions first.
	Reported bool
	// Steps are the steps of the current update, in order. Steps is nil if the node is not in an
	// update, or if only the Node shows the update. An update that does not reboot has
	// UpdatePostActionComplete in place of RebootedNode.
	Steps []Step
	// Step is the step that is running or has failed. If no step is running or has failed, Step is
	// the next step, or Updated after the last step. If only the Node shows the update, Step is
	// Cordoned, Drained or Uncordoned while the daemon waits for the drain controller, and otherwise
	// "". Step is "" if the node is not in an update.
	Step phases.Phase
	// NotStarted is true if an update was requested, but has not started.
	NotStarted bool

	// Requested is the time when the node was told to run Desired: the time of the last write of
	// the MachineConfigNode's spec. If the annotations of the Node have another config or image
	// than the spec, Requested is the time of the last write of the annotation desiredConfig.
	Requested time.Time
	// Started is the time when the current update started. If only the Node shows the update,
	// Started is the time of the cordon, or Requested if that is later.
	Started time.Time
	// Completed is the time when the last update ended. It is zero while an update is running.
	Completed time.Time
	// Since is the time when the node reached Step: the time when the last step finished or, if no
	// step has finished, the start of the update. It is not the lastTransitionTime of the running
	// step, because some daemons change this time with each message. Before an update starts, Since
	// is Requested. If the node is not in an update, Since is Completed. If only the Node shows the
	// update, Since is Started, or zero for Uncordoned.
	Since time.Time
	// Degraded is true if NodeDegraded is True, or if the state annotation of the Node says that
	// the daemon has failed: see Of.
	Degraded bool
	// DegradedSince is the time when NodeDegraded became True. It is zero if NodeDegraded is not
	// True.
	DegradedSince time.Time
	// Reports has the errors of a degraded node: the message of NodeDegraded, without the prefix
	// "Action during update to …", and the reason annotation of the Node if it has another text.
	Reports []string

	// Message is the error of a failed node: one of Reports, or the error of the step if no report has
	// more details. If the node has not failed, Message is the message of the running step.
	Message string
	// Failing is true while the running step has an error and the daemon retries the step. It is
	// false if the node is degraded.
	Failing bool
	// Pods are the pods that a failing drain waits for.
	Pods []Pod
	// PinnedImageSets has the sets that have failed, followed by the sets that are being pulled.
	PinnedImageSets []PinnedImageSet

	// Unavailable has the reasons why machine-config-operator counts the Node as unavailable, for
	// example NotReady. It has no reasons for an update or a failure of the node: see InUpdate and
	// Degraded. It is empty if HasNode is false.
	Unavailable []Unavailable
	// DesiredDrain is the daemon's last request to the drain controller, and LastAppliedDrain is the
	// last request that the drain controller has carried out. Both are annotations of the Node.
	// Examples: drain-<config>, uncordon-<config>.
	DesiredDrain, LastAppliedDrain string

	isTold     bool // the annotations of the Node tell the node to update
	isIdle     bool // isTold is true, but the daemon has not started the update
	isWorking  bool // isTold is true, and the daemon has started the update
	isComplete bool // the annotations of the Node say that its last update is complete
}

// InUpdate reports whether an update of the node was requested and is not complete. If only the Node
// shows the update (see Node), Steps is nil, and Step may be "".
func (n Node) InUpdate() bool { return n.Step != "" || n.isTold }

// IsAvailable reports whether the node is not degraded, is not in an update, and has no Unavailable
// reason. A node that is not available counts against maxUnavailable of its pool.
func (n Node) IsAvailable() bool { return !n.Degraded && !n.InUpdate() && len(n.Unavailable) == 0 }

// runsDesired reports whether the node runs the config and image that it is told to run.
func (n Node) runsDesired() bool { return n.Desired == n.Current }
