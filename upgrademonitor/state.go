package upgrademonitor

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// state is what a plan starts from and what a write leads to.
type state struct {
	// object is the MachineConfigNode as it was last read or written. It is never changed.
	object *mcfgv1.MachineConfigNode
	// begun is the update under way, where this Monitor saw it begin.
	begun update
	// noImages says that the CRD has no field for images.
	noImages bool
}

// update is what an update is for, and which image the node had before.
type update struct {
	to        target
	fromImage string
}

// withStatus returns the state that a write of the status leads to.
func (s state) withStatus(status mcfgv1.MachineConfigNodeStatus) state {
	object := *s.object
	object.Status = status
	s.object = &object
	return s
}

func (s state) isTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.object.Status.Conditions, p) == metav1.ConditionTrue
}

// underway is the update under way; between updates, the last one.
//
// Once it was prepared, the status says what it is for. Before, the Monitor that saw it
// begin knows; after a restart of the daemon the spec is the best that is left.
func (s state) underway() update {
	status, spec := s.object.Status, s.object.Spec
	u := update{fromImage: string(status.ConfigImage.CurrentImage)}
	if s.begun != (update{}) {
		u = s.begun
	}
	prepared := s.isTrue(phases.UpdatePrepared) || s.isTrue(phases.Updated)
	switch {
	case prepared && status.ConfigVersion != nil:
		u.to = target{config: status.ConfigVersion.Desired, image: string(status.ConfigImage.DesiredImage)}
	case s.begun == (update{}):
		u.to = target{config: spec.ConfigVersion.Desired, image: string(spec.ConfigImage.DesiredImage)}
	}
	return u
}

// differs reports whether the node is to be updated to something else than this update is
// for. A node that names no config is to be updated to nothing, and an image that it has
// already is no reason for an update.
func (u update) differs(node versions, imageMode bool) bool {
	switch {
	case node.desiredConfig == "":
		return false
	case node.desiredConfig != u.to.config:
		return true
	case !imageMode || node.badDesiredImage || node.desiredImage == u.to.image:
		return false
	}
	return u.to.image != "" || node.desiredImage != node.currentImage
}

// updateName is how messages name the update under way: by its image where it changed that,
// else by its config.
func (s state) updateName(node versions, imageMode bool) string {
	u := s.underway()
	switch {
	case imageMode && !node.badDesiredImage && u.to.image == "" && u.fromImage != "":
		return "disable image mode"
	case imageMode && u.to.image != "" && s.changesImage(u):
		return u.to.image
	case u.to.config != "" && u.to.config != NotYetSet:
		return u.to.config
	case node.desiredConfig != "":
		return node.desiredConfig
	default:
		return NotYetSet
	}
}

// changesImage reports whether the update changes the image of the node. Where this Monitor
// did not see it begin, and the status shows the new image already, that the image was
// pulled or applied in it says so.
func (s state) changesImage(u update) bool {
	switch {
	case s.begun != (update{}) || u.fromImage != "" && u.fromImage != u.to.image:
		return u.fromImage != u.to.image
	case s.isTrue(phases.Updated):
		return false
	}
	return conditions.Ran(s.object.Status.Conditions, phases.ImagePulledFromRegistry) ||
		conditions.Ran(s.object.Status.Conditions, phases.AppliedOSImage)
}
