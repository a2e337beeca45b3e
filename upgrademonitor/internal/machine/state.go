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

	// running is the target of the running update, or zero if this process does not know it. It is not
	// part of the object. The spec may have the next target before its update starts. And a drain controller
	// without this library overwrites the target in the status with each report.
	running target
}

// target is the config and the image that an update installs.
type target struct{ config, image string }

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

// neverRan reports whether a phase was never reported. If Updated was never reported, no update is
// running.
func (s State) neverRan(p phases.Phase) bool {
	c := conditions.Find(s.Status.Conditions, p)
	return c == nil || c.Status != metav1.ConditionTrue && conditions.IsReservedReason(c.Reason)
}

// runningSince returns the time at which Updated became False, in seconds, or 0 if no update is running.
func (s State) runningSince() int64 {
	if s.isTrue(phases.Updated) || s.neverRan(phases.Updated) {
		return 0
	}
	return conditions.Find(s.Status.Conditions, phases.Updated).LastTransitionTime.Unix()
}

// target returns the target of the current or the last update. If this process does not know the target of
// a running update, it is the target in the status if UpdatePrepared is True, otherwise that in the spec.
func (s State) target() target {
	if !s.isTrue(phases.Updated) && s.running != (target{}) {
		return s.running
	}
	if (s.isTrue(phases.Updated) || s.isTrue(phases.UpdatePrepared)) && s.Status.ConfigVersion != nil {
		return target{s.Status.ConfigVersion.Desired, string(s.Status.ConfigImage.DesiredImage)}
	}
	return target{s.Spec.ConfigVersion.Desired, string(s.Spec.ConfigImage.DesiredImage)}
}

// withTargetOf returns the object with the target of an earlier version, if the same update is running in
// both. If UpdatePrepared has turned True, the status has the target.
func (o Object) withTargetOf(known Object) Object {
	since := o.runningSince()
	isSame := o.UID == known.UID && since != 0 && since == known.runningSince()
	if isSame && (known.isTrue(phases.UpdatePrepared) || !o.isTrue(phases.UpdatePrepared)) {
		o.running = known.target()
	}
	return o
}

// hasNewTarget reports whether the Node desires another config or image than the current or last update
// installs. A Node without a desired config desires nothing. If the object has no images yet, an image
// that the Node already runs is not new.
func (s State) hasNewTarget(n Node) bool {
	t, current := s.target(), string(s.Status.ConfigImage.CurrentImage)
	switch {
	case n.DesiredConfig == "":
		return false
	case n.DesiredConfig != t.config:
		return true
	case !s.isImageMode(n) || n.InvalidDesiredImage || n.DesiredImage == t.image:
		return false
	}
	return t.image != "" || current != "" || n.DesiredImage != n.CurrentImage
}

// updateName returns the name of the current update for the prefix of messages. The name is the
// image if the update changes the image, otherwise the config.
func (s State) updateName(n Node) string {
	t, current := s.target(), string(s.Status.ConfigImage.CurrentImage)
	hasApplied := transitions.Ran(s.Status.Conditions, phases.AppliedOSImage)
	switch {
	case s.isImageMode(n) && t.image == "" && current != "":
		return "disable image mode" // the prefix is "Action during update to disable image mode: "
	case s.isImageMode(n) && t.image != "" && (t.image != current || hasApplied):
		return t.image
	case t.config != "" && t.config != nodemeta.NotYetSet:
		return t.config
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
	if prepared {
		s.running = target{}
	}
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
			s.running = target{}
		}
	}
	return s
}

// withObservedGeneration sets observedGeneration to the generation of the object. But if the spec has
// another target than the current or last update, the old value stays. Otherwise clients could conclude
// from Updated=True that the update to the target in the spec is done. Between the start of an update
// and UpdatePrepared=True, its target is not known, so the old value stays, too. Before the first report of
// Updated, there is no such conclusion.
func (s State) withObservedGeneration(starts bool) State {
	t := s.target()
	isOtherConfig := s.Spec.ConfigVersion.Desired != t.config
	isOtherImage := s.isImageMode(Node{}) && string(s.Spec.ConfigImage.DesiredImage) != t.image
	isKnown := starts || s.isTrue(phases.Updated) || s.isTrue(phases.UpdatePrepared)
	if isKnown && !isOtherConfig && !isOtherImage || s.neverRan(phases.Updated) {
		s.Status.ObservedGeneration = max(s.Status.ObservedGeneration, s.Generation)
	}
	return s
}
