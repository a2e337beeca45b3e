package plan

import (
	"encoding/json"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// NotYetSet is the value of a pool or a config that is not known yet.
const NotYetSet = "not-yet-set"

// State is what a plan starts from, and what it leads to. It is immutable: what it points to is
// never changed.
type State struct {
	// Object is the MachineConfigNode, and of its lists what this library owns. It is not nil.
	Object *mcfgv1.MachineConfigNode
	// Unowned is what others keep in the same lists.
	Unowned Unowned
	// Update is the update under way, where this process observed its begin.
	Update Update
	// NoImageField is set where the CRD has no configImage.
	NoImageField bool
}

// Unowned is what other field managers keep in the lists of the status.
type Unowned struct {
	// Conditions are those of the API server, verbatim.
	Conditions []json.RawMessage
	// ImageSets were applied by another manager.
	ImageSets []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	// Verbatim has ImageSets by their names as the API server encodes them: a type cannot tell a
	// field that is zero from one that is absent.
	Verbatim map[string]json.RawMessage
	// Exact is false where the object was decoded by an informer: a merge patch, which replaces
	// whole lists, must not be made of it.
	Exact bool
}

// Owned reports whether a condition is one of this library's, in whichever mode.
func Owned(c metav1.Condition) bool { return phases.KindOf(phases.Phase(c.Type)) != "" }

// WithStatus returns the state with another status.
func (s State) WithStatus(status mcfgv1.MachineConfigNodeStatus) State {
	object := *s.Object
	object.Status = status
	s.Object = &object
	return s
}

// HasImages reports whether the object has an image in its spec or its status.
func (s State) HasImages() bool {
	return s.Object.Spec.ConfigImage != mcfgv1.MachineConfigNodeSpecConfigImage{} || s.Object.Status.ConfigImage != mcfgv1.MachineConfigNodeStatusConfigImage{}
}

// IsTrue reports whether the condition of a phase is True.
func (s State) IsTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.Object.Status.Conditions, p) == metav1.ConditionTrue
}

// addStatus adds the write of a status to a plan, and returns the state that it leads to.
func (p *Plan) addStatus(from, to State) State {
	kind := ApplyStatus
	if drops(from, to) {
		kind = MergeStatus
	}
	p.Steps = append(p.Steps, Step{Kind: kind, Next: to})
	p.Final = to
	return to
}

// drops reports whether something is removed, which an apply leaves in place where another manager
// has it too: a condition of the other mode, an image set or the failure of one, or an image.
func drops(from, to State) bool {
	before, after := from.Object.Status, to.Object.Status
	cleared := func(from, to mcfgv1.ImageDigestFormat) bool { return from != "" && to == "" }
	missing := func(c metav1.Condition) bool { return conditions.Find(after.Conditions, phases.Phase(c.Type)) == nil }
	shrinks := func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		other := to.imageSet(set.Name)
		return other == nil || set.LastFailedGeneration > 0 && other.LastFailedGeneration == 0
	}
	return cleared(before.ConfigImage.CurrentImage, after.ConfigImage.CurrentImage) ||
		cleared(before.ConfigImage.DesiredImage, after.ConfigImage.DesiredImage) ||
		slices.ContainsFunc(before.Conditions, missing) ||
		slices.ContainsFunc(before.PinnedImageSets, shrinks) ||
		slices.ContainsFunc(from.Unowned.ImageSets, shrinks)
}
