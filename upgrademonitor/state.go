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
	}
	return imageMode && node.desiredImage != u.to.image && (u.to.image != "" || node.desiredImage != node.currentImage)
}

// name is how messages name the update: by its image where it changed that, else by its config.
func (u update) name(node versions, imageMode bool) string {
	switch {
	case imageMode && u.to.image != u.fromImage && u.to.image != "":
		return u.to.image
	case imageMode && u.to.image != u.fromImage:
		return "disable image mode"
	case u.to.config != "" && u.to.config != NotYetSet:
		return u.to.config
	case node.desiredConfig != "":
		return node.desiredConfig
	default:
		return NotYetSet
	}
}
