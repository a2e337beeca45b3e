package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// Pin returns the state with Target set to the target of the current update. Between updates, Target
// is zero. Call Pin after each read of the object. A later change of the spec then does not change
// the target of the current update.
func (s State) Pin() State {
	if s.isTrue(phases.Updated) || s.neverUpdated() {
		s.Target = Target{}
	} else {
		s.Target = s.target()
	}
	return s
}

// target returns the target of the current or the last update:
//
//  1. During an update, it is s.Target. The status may show another target, because a drain controller
//     without this library copies the desired config of the Node to the status with each report.
//  2. If s.Target is zero, because the process has restarted, it is the target in the status if
//     UpdatePrepared is True. Otherwise it is the target in the spec.
//  3. Between updates, it is the target in the status.
func (s State) target() Target {
	updated := s.isTrue(phases.Updated)
	switch {
	case !updated && s.Target != Target{}:
		return s.Target
	case (updated || s.isTrue(phases.UpdatePrepared)) && s.Status.ConfigVersion != nil:
		return Target{Config: s.Status.ConfigVersion.Desired, Image: string(s.Status.ConfigImage.DesiredImage)}
	default:
		return Target{Config: s.Spec.ConfigVersion.Desired, Image: string(s.Spec.ConfigImage.DesiredImage)}
	}
}

// neverUpdated reports whether Updated was never reported. Then no update is running.
func (s State) neverUpdated() bool { return s.neverRan(phases.Updated) }

// neverRan reports whether a phase was never reported.
func (s State) neverRan(p phases.Phase) bool {
	c := conditions.Find(s.Status.Conditions, p)
	return c == nil || c.Status != metav1.ConditionTrue && conditions.IsReservedReason(c.Reason)
}

// ranInUpdate reports whether a phase was reported, and runs only during an update.
func (s State) ranInUpdate(p phases.Phase) bool { return phases.StartsUpdate(p) && !s.neverRan(p) }

// hasNewTarget reports whether the Node desires another config or image than the current or last update
// installs. A Node without a desired config desires nothing. If the object has no images yet, an image
// that the Node already runs is not new.
func (s State) hasNewTarget(n Node) bool {
	target, current := s.target(), string(s.Status.ConfigImage.CurrentImage)
	switch {
	case n.DesiredConfig == "":
		return false
	case n.DesiredConfig != target.Config:
		return true
	case !s.isImageMode(n) || n.InvalidDesiredImage || n.DesiredImage == target.Image:
		return false
	}
	return target.Image != "" || current != "" || n.DesiredImage != n.CurrentImage
}

// targetOf returns the target of an update that starts now, from the annotations of the Node.
func (s State) targetOf(n Node) Target {
	t := Target{Config: n.DesiredConfig}
	switch {
	case n.DesiredConfig == "":
		return s.target()
	case s.isImageMode(n) && n.InvalidDesiredImage:
		t.Image = string(s.Spec.ConfigImage.DesiredImage)
	case s.isImageMode(n):
		t.Image = n.DesiredImage
	}
	return t
}

// updateName returns the name of the current update for the prefix of messages. The name is the
// image if the update changes the image, otherwise the config.
func (s State) updateName(n Node) string {
	target, current := s.target(), string(s.Status.ConfigImage.CurrentImage)
	hasApplied := conditions.Ran(s.Status.Conditions, phases.AppliedOSImage)
	switch {
	case s.isImageMode(n) && target.Image == "" && current != "":
		return "disable image mode" // the prefix is "Action during update to disable image mode: "
	case s.isImageMode(n) && target.Image != "" && (target.Image != current || hasApplied):
		return target.Image
	case target.Config != "" && target.Config != nodemeta.NotYetSet:
		return target.Config
	case n.DesiredConfig != "":
		return n.DesiredConfig
	default:
		return nodemeta.NotYetSet
	}
}
