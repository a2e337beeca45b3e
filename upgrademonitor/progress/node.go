package progress

import "slices"

// Target is the config and the image that a node runs or should run. Config is the name of a
// rendered MachineConfig. Image is the pull spec of the node's own OS image, or "" if the node uses
// the OS image of the release.
type Target struct{ Config, Image string }

// Node is the state of a node, read from its Node and its MachineConfigNode by the function Of.
type Node struct {
	// Pool is the pool in the spec of the MachineConfigNode. It may differ from the pool that
	// selects the Node: see pool.Primary.
	Name, Pool string
	// HasNode is true if a Node was passed to Of.
	HasNode bool
	// HasObject is true if a MachineConfigNode was passed to Of, has conditions, and does not belong
	// to an earlier Node of the same name.
	HasObject bool
	// Desired is the config and image that the node is told to run. Current is the config and image
	// that the node runs.
	Desired, Current Target

	// Update is the state of the current update.
	Update Update
	// DoneByNode is true if the annotations of the Node say that the node runs what it is told to run,
	// and that its daemon has nothing to do. The MachineConfigNode may still show an update or a
	// failure, for example because the daemon could not write the end.
	DoneByNode bool
	// Done is true if DoneByNode is true, or if the MachineConfigNode shows the end of an update and
	// the Node has lost no annotation. It is false for a new node.
	Done bool
	// Degraded is true if NodeDegraded is True, or if the state annotation of the Node says that
	// the daemon has failed: see Of. DegradedInObject is true only if NodeDegraded is True.
	Degraded, DegradedInObject bool
	// Errors has the errors of a degraded node: the message of NodeDegraded, without the prefix
	// "Action during update to …", and the reason annotation of the Node if it has another text.
	Errors []string
	// Unavailable has the reasons why machine-config-operator counts the Node as unavailable, for
	// example NotReady. It has no reasons for an update or a failure of the node: see InUpdate and
	// Degraded. It is empty if HasNode is false.
	Unavailable []Unavailable
	// HasPinnedImages is true if HasObject is true, all pinned image sets of the node are pulled, and
	// PinnedImageSetsDegraded is not True.
	HasPinnedImages bool
}

// Update is the state of an update of a node.
type Update string

const (
	// NoUpdate means that no update was requested, or that the last update is complete.
	NoUpdate Update = ""
	// Requested means that the node is told to update, and that the daemon has not started.
	Requested Update = "Requested"
	// Unreported means that the daemon works on the update, but that only the annotations of the Node
	// show it.
	Unreported Update = "Unreported"
	// Started means that the MachineConfigNode shows that the update has started.
	Started Update = "Started"
)

// InUpdate reports whether an update of the node was requested and is not complete.
func (n Node) InUpdate() bool { return n.Update != NoUpdate }

// IsAvailable reports whether the node is not degraded, is not in an update, and has no Unavailable
// reason. A node that is not available counts against maxUnavailable of its pool.
func (n Node) IsAvailable() bool { return !n.Degraded && !n.InUpdate() && len(n.Unavailable) == 0 }

// Is reports whether the Node is unavailable for a reason.
func (n Node) Is(reason UnavailableReason) bool {
	return slices.ContainsFunc(n.Unavailable, func(u Unavailable) bool { return u.Reason == reason })
}

// runsDesired reports whether the node runs the config and image that it is told to run.
func (n Node) runsDesired() bool { return n.Desired == n.Current }
