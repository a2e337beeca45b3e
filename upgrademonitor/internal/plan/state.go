package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
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

	// Target is the config and image that the current update installs. It is not part of the object.
	// Between updates, and before the first Pin after a restart, it is zero.
	Target Target
}

// Target is the config and the image that an update installs.
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

func (s State) isTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.Status.Conditions, p) == metav1.ConditionTrue
}

// withConditions returns the state with new conditions, and with the configs and images of the Node.
// ended is set for a report of Updated=True, and for a NodeChange while Updated is True: see
// updateVersions.
func (s State) withConditions(list []metav1.Condition, n Node, ended bool) State {
	next := s
	next.Status.Conditions = list
	if n.ConditionsOnly {
		return next
	}
	prepared := !s.isTrue(phases.UpdatePrepared) && next.isTrue(phases.UpdatePrepared)
	n.updateVersions(&next.Status, s.isImageMode(n), prepared, ended)
	image := next.Status.ConfigImage.DesiredImage
	if image != s.Status.ConfigImage.DesiredImage && s.Target != (Target{}) {
		next.Target.Image = string(image)
	}
	return next
}

// isImageMode reports whether the object is in image mode. In standard mode, an object has no
// images.
func (s State) isImageMode(n Node) bool { return n.Mode.IsImage(s.Status.Conditions) }

// observedGeneration returns the new observedGeneration of the status: the generation of the object.
// But if the spec has another target than the current or last update, the old value stays. Otherwise
// clients could conclude from Updated=True that the update to the target in the spec is done. If
// Updated was never reported, clients cannot conclude this, so the new value is the generation.
func (s State) observedGeneration() int64 {
	target := s.target()
	isOtherConfig := s.Spec.ConfigVersion.Desired != target.Config
	isOtherImage := s.isImageMode(Node{}) && string(s.Spec.ConfigImage.DesiredImage) != target.Image
	if (isOtherConfig || isOtherImage) && !s.neverUpdated() {
		return s.Status.ObservedGeneration
	}
	return max(s.Status.ObservedGeneration, s.Generation)
}

// updateVersions copies the configs and, in image mode, the images of the Node to a status.
//
//  1. The current config and the current image are always copied.
//  2. The desired config and the desired image are copied if prepared is set (UpdatePrepared turns
//     True). They are also copied if ended is set (see withConditions) and the Node already runs
//     them. Otherwise the daemon may not have validated them yet.
//  3. A missing image annotation removes the image from the status: the desired image under the
//     conditions of rule 2, and the current image if ended is set.
//  4. If the status has no image, and the Node already runs its desired image, both images are
//     copied, because no update to this image will start.
//  5. If the Node has no config annotation, the images in the status stay unchanged.
func (v Versions) updateVersions(status *mcfgv1.MachineConfigNodeStatus, imageMode, prepared, ended bool) {
	config := versionOf(*status)
	if v.CurrentConfig != "" {
		config.Current = v.CurrentConfig
	}
	if v.DesiredConfig != "" && prepared || ended && v.runsDesired() {
		config.Desired = v.DesiredConfig
	}
	if config.Desired == "" {
		config.Desired = nodemeta.NotYetSet
	}
	if status.ConfigVersion == nil || *status.ConfigVersion != config {
		changed := config // a copy, so that config is allocated on the heap only if it changes
		status.ConfigVersion = &changed
	}
	if !imageMode || !v.hasConfig() {
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

// equalImageSets reports whether two lists have the same image sets, in any order.
func equalImageSets(a, b []statusSet) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(set statusSet) bool {
		other := findImageSet(b, set.Name)
		return other == nil || *other != set
	})
}

func findImageSet(list []statusSet, name string) *statusSet {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
