package planner

import (
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// The target of an update is the order that the daemon had taken up when it reported UpdatePrepared=True: see
// Core.order. From then on, the status has it, until the next update is prepared. Before, the target is not known.
// The spec decides nothing: it only lends a name (updateName).
//
// Why: the target was once that of the status, else what the process remembered, else that of the spec. Each order of
// events that mixed two of them lost something. A start whose response was lost was made again and reset the reports of
// the drain controller, and after a restart the update was reset.

// hasNewTarget reports whether the Node desires another config or image than the status: while UpdatePrepared
// is True, another target than the current update, and while Updated is True, than the last update. A Node
// without a desired config desires nothing. If the object has no images yet, an image that the Node already
// runs is not new.
func (s State) hasNewTarget(n Node) bool {
	images := s.Status.ConfigImage
	switch {
	case n.DesiredConfig == "":
		return false
	case n.DesiredConfig != versionOf(s.Status).Desired:
		return true
	case n.Mode != Image || n.InvalidDesiredImage || n.DesiredImage == string(images.DesiredImage):
		return false
	}
	return images.DesiredImage != "" || images.CurrentImage != "" || n.DesiredImage != n.CurrentImage
}

// runsTarget reports whether the Node runs the config and the image that the status desires.
func (s State) runsTarget(n Node) bool {
	return n.runs(versionOf(s.Status).Desired, s.Status.ConfigImage.DesiredImage)
}

// updateName returns the name of the current update for the prefix of messages: the image if the update
// changes the image, otherwise the config. They are what the status desires or, before UpdatePrepared is
// True, what the spec desires. If an update ends while UpdatePrepared is Unknown, and the Node runs what it ran
// before, the config of the update was withdrawn, and nothing has its name.
func (s State) updateName(n Node) string {
	config, images := versionOf(s.Status).Desired, s.Status.ConfigImage
	isPrepared := s.isTrue(phases.Updated) || s.isTrue(phases.UpdatePrepared)
	if !isPrepared {
		config, images.DesiredImage = s.Spec.ConfigVersion.Desired, s.Spec.ConfigImage.DesiredImage
	}
	list := s.Status.Conditions
	hasImageStep := transitions.HasStarted(list, phases.ImagePulledFromRegistry) || transitions.HasStarted(list, phases.AppliedOSImage)
	switch {
	case !isPrepared && s.isUnderWay() && transitions.HasStarted(list, phases.UpdatePrepared) && s.runsTarget(n):
		return "a withdrawn config"
	case n.Mode == Image && images.DesiredImage == "" && images.CurrentImage != "":
		return "disable image mode" // the prefix is "Action during update to disable image mode: "
	case n.Mode == Image && images.DesiredImage != "" && (images.DesiredImage != images.CurrentImage || hasImageStep):
		return string(images.DesiredImage)
	case config != "" && config != nodemeta.NotYetSet:
		return config
	case n.DesiredConfig != "":
		return n.DesiredConfig
	default:
		return nodemeta.NotYetSet
	}
}
