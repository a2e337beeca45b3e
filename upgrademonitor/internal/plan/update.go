package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// Update is what an update is for, and which image the node had before.
type Update struct {
	Target    Target
	FromImage string
	// SpecPending is set where the write of the spec failed with which the update began.
	SpecPending bool
}

// Target is what a node is to be updated to.
type Target struct {
	Config, Image string
}

// currentUpdate is the update under way; between updates, the last one.
//
// Once UpdatePrepared is True, the status names its target. Before, the process that observed
// the begin knows it; after a restart, the spec is the best source that is left.
func (s State) currentUpdate() Update {
	status, spec := s.Object.Status, s.Object.Spec
	u := Update{FromImage: string(status.ConfigImage.CurrentImage)}
	if s.Update != (Update{}) {
		u = s.Update
	}
	prepared := s.IsTrue(phases.UpdatePrepared) || s.IsTrue(phases.Updated)
	switch {
	case prepared && status.ConfigVersion != nil:
		u.Target = Target{Config: status.ConfigVersion.Desired, Image: string(status.ConfigImage.DesiredImage)}
	case s.Update == (Update{}):
		u.Target = Target{Config: spec.ConfigVersion.Desired, Image: string(spec.ConfigImage.DesiredImage)}
	}
	return u
}

// targetChanged reports whether the node is to be updated to something else than this update is
// for. A node that names no desired config is to be updated to nothing. Where no image was known
// of, one that the node runs already is no reason for an update.
func (u Update) targetChanged(node Node, imageMode bool) bool {
	switch {
	case node.DesiredConfig == "":
		return false
	case node.DesiredConfig != u.Target.Config:
		return true
	case !imageMode || node.InvalidDesiredImage || node.DesiredImage == u.Target.Image:
		return false
	}
	return u.Target.Image != "" || u.FromImage != "" || node.DesiredImage != node.CurrentImage
}

// updateName is the name of the update under way in messages: its image where it changes that,
// else its config.
func (s State) updateName(node Node, imageMode bool) string {
	u := s.currentUpdate()
	switch {
	case imageMode && !node.InvalidDesiredImage && u.Target.Image == "" && u.FromImage != "":
		return "disable image mode"
	case imageMode && u.Target.Image != "" && s.changesImage(u):
		return u.Target.Image
	case u.Target.Config != "" && u.Target.Config != NotYetSet:
		return u.Target.Config
	case node.DesiredConfig != "":
		return node.DesiredConfig
	default:
		return NotYetSet
	}
}

// changesImage reports whether the update changes the image of the node. Where this process did
// not observe its begin, and the status has the new image already, it did if the image was
// pulled or applied in it.
func (s State) changesImage(u Update) bool {
	switch {
	case s.Update != (Update{}) || u.FromImage != u.Target.Image:
		return u.FromImage != u.Target.Image
	case s.IsTrue(phases.Updated):
		return false
	}
	return conditions.Ran(s.Object.Status.Conditions, phases.ImagePulledFromRegistry) ||
		conditions.Ran(s.Object.Status.Conditions, phases.AppliedOSImage)
}

// neverUpdated reports whether Updated was never reported on the object: there is no update
// under way then, whatever the spec has.
func (s State) neverUpdated() bool {
	c := conditions.Find(s.Object.Status.Conditions, phases.Updated)
	return c == nil || c.Status != metav1.ConditionTrue && c.Reason == conditions.ReasonNotYetOccurred
}
