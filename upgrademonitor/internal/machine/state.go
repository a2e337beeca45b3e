package machine

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// State has the fields of a MachineConfigNode that this library writes, and the generation. A State
// is immutable, including all memory that it refers to.
type State struct {
	Generation int64
	Owners     []metav1.OwnerReference
	Spec       mcfgv1.MachineConfigNodeSpec
	// Status has only fields that this library writes, and only conditions whose type is a phase.
	Status mcfgv1.MachineConfigNodeStatus
}

// Equal reports whether two states have the same status. It ignores the times of conditions.
func (s State) Equal(o State) bool {
	a, b := s.Status, o.Status
	return transitions.Equal(a.Conditions, b.Conditions) && a.ConfigImage == b.ConfigImage &&
		versionOf(a) == versionOf(b) && a.ObservedGeneration == b.ObservedGeneration &&
		slices.Equal(a.PinnedImageSets, b.PinnedImageSets)
}

func versionOf(status mcfgv1.MachineConfigNodeStatus) (v mcfgv1.MachineConfigNodeStatusMachineConfigVersion) {
	if status.ConfigVersion != nil {
		v = *status.ConfigVersion
	}
	return v
}

func (s State) isTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.Status.Conditions, p) == metav1.ConditionTrue
}

// isImageMode reports whether the object is in image mode. In standard mode, an object has no images.
func (s State) isImageMode(n Node) bool { return n.Mode.IsImage(s.Status.Conditions) }

// isUnderWay reports whether an update is under way.
func (s State) isUnderWay() bool { return transitions.IsUnderWay(s.Status.Conditions) }

// neverRan reports whether a phase was never reported. If Updated was never reported, no update is
// running.
func (s State) neverRan(p phases.Phase) bool {
	return transitions.NeverReported(s.Status.Conditions, p)
}

// hasNewTarget reports whether the Node desires another config or image than the status: while UpdatePrepared
// is True, another target than the current update, and while Updated is True, than the last update. In between
// the target of the update is not known yet. A Node without a desired config desires nothing. If the object has
// no images yet, an image that the Node already runs is not new.
func (s State) hasNewTarget(n Node) bool {
	images := s.Status.ConfigImage
	switch {
	case n.DesiredConfig == "":
		return false
	case n.DesiredConfig != versionOf(s.Status).Desired:
		return true
	case !s.isImageMode(n) || n.InvalidDesiredImage || n.DesiredImage == string(images.DesiredImage):
		return false
	}
	return images.DesiredImage != "" || images.CurrentImage != "" || n.DesiredImage != n.CurrentImage
}

// runsTargetOfStatus reports whether the Node runs the config and the image that the status desires.
func (s State) runsTargetOfStatus(n Node) bool {
	return n.CurrentConfig != "" && n.CurrentConfig == versionOf(s.Status).Desired &&
		(!s.isImageMode(n) || n.CurrentImage == string(s.Status.ConfigImage.DesiredImage))
}

// updateName returns the name of the current update for the prefix of messages: the image if the update
// changes the image, otherwise the config. They are what the status desires or, before UpdatePrepared is
// True, what the spec desires. If an update ends without UpdatePrepared=True, and the Node runs what it ran
// before, the update was withdrawn, and nobody knows its config any more.
func (s State) updateName(n Node) string {
	config, images := versionOf(s.Status).Desired, s.Status.ConfigImage
	isPrepared := s.isTrue(phases.Updated) || s.isTrue(phases.UpdatePrepared)
	if !isPrepared {
		config, images.DesiredImage = s.Spec.ConfigVersion.Desired, s.Spec.ConfigImage.DesiredImage
	}
	hasApplied := transitions.Ran(s.Status.Conditions, phases.AppliedOSImage)
	switch {
	case !isPrepared && s.isUnderWay() && s.runsTargetOfStatus(n):
		return "a withdrawn config"
	case s.isImageMode(n) && images.DesiredImage == "" && images.CurrentImage != "":
		return "disable image mode" // the prefix is "Action during update to disable image mode: "
	case s.isImageMode(n) && images.DesiredImage != "" && (images.DesiredImage != images.CurrentImage || hasApplied):
		return string(images.DesiredImage)
	case config != "" && config != nodemeta.NotYetSet:
		return config
	case n.DesiredConfig != "":
		return n.DesiredConfig
	default:
		return nodemeta.NotYetSet
	}
}

// Sync returns the state with the owner references and the spec that match a Node. If the Node has no
// pool or no desired config, that of the spec stays unchanged. The desired image stays unchanged in
// standard mode, and if the Node has no config.
func (s State) Sync(n Node) State {
	s.Owners = nodemeta.ReplaceOwner(s.Owners, n.Owner)
	hasImage := s.isImageMode(n) && n.hasConfig() && !n.InvalidDesiredImage
	s.Spec.Node.Name = n.Owner.Name
	if n.Pool != nodemeta.NotYetSet || s.Spec.Pool.Name == "" {
		s.Spec.Pool.Name = n.Pool
	}
	if n.DesiredConfig != "" {
		s.Spec.ConfigVersion.Desired = n.DesiredConfig
	}
	if s.Spec.ConfigVersion.Desired == "" {
		s.Spec.ConfigVersion.Desired = nodemeta.NotYetSet
	}
	if hasImage {
		s.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
	}
	return s
}

// InSync reports whether the owner references and the spec match the Node. A process that writes only
// conditions never has a reason to write them.
func (s State) InSync(n Node) bool {
	synced := s.Sync(n)
	return n.ConditionsOnly || s.Spec == synced.Spec && slices.Equal(s.Owners, synced.Owners)
}

// withVersions returns the state with the configs and, in image mode, the images of the Node.
//
//  1. The current config and the current image of the Node are copied.
//  2. The desired config and the desired image are copied if prepared is set (UpdatePrepared turns
//     True), or if ended is set (Updated is True) and the Node already runs them. Otherwise the daemon
//     may not have validated them yet.
//  3. A missing image annotation removes the image from the status: the desired image under the
//     conditions of rule 2, and the current image if ended is set.
//  4. If the status has no image, and the Node already runs its desired image, both are copied.
//  5. If the Node has no config annotation, the images in the status stay unchanged.
func (s State) withVersions(n Node, prepared, ended bool) State {
	if n.ConditionsOnly {
		return s
	}
	config := versionOf(s.Status)
	if n.CurrentConfig != "" {
		config.Current = n.CurrentConfig
	}
	if n.DesiredConfig != "" && prepared || ended && n.runsDesired() {
		config.Desired = n.DesiredConfig
	}
	if config.Desired == "" {
		config.Desired = nodemeta.NotYetSet
	}
	s.Status.ConfigVersion = &config
	if s.isImageMode(n) && n.hasConfig() {
		known := s.Status.ConfigImage != mcfgv1.MachineConfigNodeStatusConfigImage{}
		if n.CurrentImage != "" || ended && !n.InvalidCurrentImage {
			s.Status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(n.CurrentImage)
		}
		runs := n.CurrentImage == n.DesiredImage && !n.InvalidCurrentImage
		if !n.InvalidDesiredImage && (prepared || runs && (ended || !known)) {
			s.Status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
		}
	}
	return s
}

// withObservedGeneration sets observedGeneration to the generation of the object. But if the spec and the
// status desire different configs or images, the old value stays. Otherwise clients could conclude from
// Updated=True that the update to the target in the spec is done. Before the first report of Updated, there
// is no such conclusion. takesUp is set if a report starts an update to the target in the spec.
func (s State) withObservedGeneration(takesUp bool) State {
	isSameConfig := s.Spec.ConfigVersion.Desired == versionOf(s.Status).Desired
	isSameImage := !s.isImageMode(Node{}) || s.Spec.ConfigImage.DesiredImage == s.Status.ConfigImage.DesiredImage
	if takesUp || isSameConfig && isSameImage || s.neverRan(phases.Updated) {
		s.Status.ObservedGeneration = max(s.Status.ObservedGeneration, s.Generation)
	}
	return s
}
