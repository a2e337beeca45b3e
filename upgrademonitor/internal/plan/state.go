package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// State has the fields of a MachineConfigNode that this library writes. A State, and all memory
// that it refers to, is immutable.
type State struct {
	Generation int64
	Owners     []metav1.OwnerReference
	Spec       mcfgv1.MachineConfigNodeSpec
	// Status has only conditions that are phases, and only fields that this library writes.
	Status mcfgv1.MachineConfigNodeStatus

	// Target is the target of the current update. It is not part of the object.
	Target Target
}

// Target identifies an update by the desired config and image.
type Target struct {
	Config, Image string
}

// Equal reports whether two states have the same status. It ignores the times of conditions.
func (s State) Equal(o State) bool {
	a, b := s.Status, o.Status
	return conditions.Equal(a.Conditions, b.Conditions) && a.ConfigImage == b.ConfigImage &&
		versionOf(a) == versionOf(b) && a.ObservedGeneration == b.ObservedGeneration &&
		equalImageSets(a.PinnedImageSets, b.PinnedImageSets)
}

func versionOf(status mcfgv1.MachineConfigNodeStatus) mcfgv1.MachineConfigNodeStatusMachineConfigVersion {
	if status.ConfigVersion == nil {
		return mcfgv1.MachineConfigNodeStatusMachineConfigVersion{}
	}
	return *status.ConfigVersion
}

// IsComplete reports whether the state has every condition of the mode, with reason, message and
// time. If an informer drops fields, some may be missing.
func (s State) IsComplete(mode Mode) bool {
	list := s.Status.Conditions
	for _, p := range phases.All(mode.IsImage(list)) {
		if c := conditions.Find(list, p); c == nil || c.Reason == "" || c.Message == "" || c.LastTransitionTime.IsZero() {
			return false
		}
	}
	return true
}

func (s State) isTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.Status.Conditions, p) == metav1.ConditionTrue
}

// publish returns the state with conditions and the versions of a Node. ended means Updated=True.
func (s State) publish(list []metav1.Condition, n Node, ended bool) State {
	next := s
	prepared := !s.isTrue(phases.UpdatePrepared) && conditions.StatusOf(list, phases.UpdatePrepared) == metav1.ConditionTrue
	next.Status.Conditions = list
	n.updateVersions(&next.Status, s.images(n), prepared, ended)
	if image := next.Status.ConfigImage.DesiredImage; image != s.Status.ConfigImage.DesiredImage && s.Target != (Target{}) {
		next.Target.Image = string(image)
	}
	return next
}

// images reports whether the images of a Node are written.
func (s State) images(n Node) bool { return n.Mode.IsImage(s.Status.Conditions) }

// observedGeneration returns the new observedGeneration of the status. It stays while the spec
// desires another target than the current or last update, so that no client concludes that the
// desired update is done. If Updated was never reported, no client can conclude that.
func (s State) observedGeneration() int64 {
	target := s.target()
	elsewhere := s.Spec.ConfigVersion.Desired != target.Config ||
		s.images(Node{}) && string(s.Spec.ConfigImage.DesiredImage) != target.Image
	if elsewhere && !s.neverUpdated() {
		return s.Status.ObservedGeneration
	}
	return max(s.Status.ObservedGeneration, s.Generation)
}

// updateVersions copies the versions and images of the Node to a status.
//
//  1. The current versions follow the Node at once.
//  2. The desired versions follow the Node if prepared is set (UpdatePrepared turns True). They
//     also follow if ended is set (Updated=True) and the Node runs its desired version. Otherwise
//     the daemon has not validated them.
//  3. In image mode, an image is cleared if its annotation is missing: the desired image when rule
//     2 applies, the current image if ended is set.
//  4. If the status has no image, and the Node runs its desired image, both images are set at once:
//     no update will set them.
//  5. If the Node has no config annotation, no image is set or cleared.
func (v Versions) updateVersions(status *mcfgv1.MachineConfigNodeStatus, images, prepared, ended bool) {
	config := versionOf(*status)
	if v.CurrentConfig != "" {
		config.Current = v.CurrentConfig
	}
	if v.DesiredConfig != "" && (prepared || ended && v.CurrentConfig == v.DesiredConfig) {
		config.Desired = v.DesiredConfig
	}
	if config.Desired == "" {
		config.Desired = nodemeta.NotYetSet
	}
	if status.ConfigVersion == nil || *status.ConfigVersion != config {
		changed := config // a copy, so that config escapes to the heap only if it changes
		status.ConfigVersion = &changed
	}
	if !images || !v.hasConfig() {
		return
	}
	known := status.ConfigImage != mcfgv1.MachineConfigNodeStatusConfigImage{}
	if v.CurrentImage != "" || ended && !v.InvalidCurrentImage {
		status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(v.CurrentImage)
	}
	runs := v.CurrentImage == v.DesiredImage && !v.InvalidCurrentImage
	if !v.InvalidDesiredImage && (prepared || runs && (ended || !known)) {
		status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(v.DesiredImage)
	}
}

// equalImageSets compares two lists without regard to their order.
func equalImageSets(a, b []mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		other := findImageSet(b, set.Name)
		return other == nil || *other != set
	})
}

func findImageSet(list []mcfgv1.MachineConfigNodeStatusPinnedImageSet, name string) *mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
