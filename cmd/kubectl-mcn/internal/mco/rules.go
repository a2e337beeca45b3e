package mco

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// IsNewer reports whether a MachineConfigNode is newer than its Node: it says that an update is complete, and
// the annotations of the Node still request this update. A daemon writes the annotations first.
func IsNewer(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) bool {
	requested, runs := progress.Of(node, nil), progress.Of(nil, mcn)
	isUpdated := conditions.StatusOf(mcn.Status.Conditions, phases.Updated) == metav1.ConditionTrue
	return requested.InUpdate() && isUpdated && runs.Current == requested.Desired
}

// Places returns how many places of maxUnavailable a node takes, as the node controller counts for a
// pool with this target. A node takes a place if it cannot run pods, or if its update is neither done
// nor failed. A node that fails for the target takes a place, too, because its failure may be
// transient: so a node that fails and cannot run pods takes two. A node that fails for another config
// can be told to update, so it takes none.
func (n Node) Places(target progress.Target) int {
	places, hasFailed := 0, n.hasFailedToUpdate()
	isDone := n.IsAvailable()
	if n.state != "" || n.HasNode && !n.HasObject { // the node controller does not read the MachineConfigNode
		isDone = n.Desired == n.Current && n.state == nodemeta.StateDone
	}
	if len(n.Unavailable) > 0 || !hasFailed && !isDone {
		places++
	}
	if hasFailed && n.Desired == target {
		places++
	}
	return places
}

// hasFailedToUpdate reports whether the daemon has failed to update the node. The node controller reads only
// the state annotation. If the current and the desired config are equal, the files on the disk have
// drifted: that is not a failure to update.
func (n Node) hasFailedToUpdate() bool {
	hasFailed := n.state == nodemeta.StateDegraded || n.state == nodemeta.StateUnreconcilable || n.state == "" && n.Degraded
	return hasFailed && n.Desired.Config != n.Current.Config
}

// IsOfOther reports whether a message of a pool's conditions Updated and Updating names a config that is not
// the target: the controller has not looked at the target yet.
func IsOfOther(config string, messages ...string) bool {
	for _, message := range messages {
		if name := poolwords.ReadConfig(message); name != "" && name != config {
			return true
		}
	}
	return false
}

// ImageOf returns the image that the messages of a pool's conditions Updated and Updating name.
// isNamed is false if the messages do not say whether the pool has an image. isImageMode is true if
// the pool has an image, or is building one: only such a pool has a message about a build, and only
// its update is paused by a degraded condition.
func ImageOf(config string, messages ...string) (image string, isNamed, isImageMode bool) {
	for _, message := range messages {
		image := poolwords.ReadImage(message, config)
		_, _, isBuild := poolwords.ReadBuild(message)
		switch {
		case image != "":
			return image, true, true
		case isBuild || message == poolwords.Degraded:
			isImageMode = true
		case poolwords.ReadConfig(message) == config:
			isNamed = true // the target has no image
		}
	}
	return "", isNamed && !isImageMode, isImageMode
}
