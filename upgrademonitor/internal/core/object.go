package core

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Object is one version of a MachineConfigNode. It is immutable.
type Object struct {
	UID             types.UID
	ResourceVersion string
	plan.State
	// Foreign are the conditions of other clients: their types are not phases.
	Foreign []metav1.Condition
}

// Situation is how well the object is known.
type Situation string

// The situations, see the package comment.
const (
	Unread     Situation = ""           // it was never read
	Fresh      Situation = "Fresh"      // no other write is known since the last read or write
	Stale      Situation = "Stale"      // another client wrote, or may have written: read it
	Unanswered Situation = "Unanswered" // the last write had no response: read it
	Missing    Situation = "Missing"    // it does not exist: create it
)

// hasAllOf reports whether an object of an informer, which may trim its objects, has every field
// that the last known version has.
func (o Object) hasAllOf(known Object, mode plan.Mode) bool {
	for _, set := range known.Status.PinnedImageSets {
		if !slices.ContainsFunc(o.Status.PinnedImageSets, func(other mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
			return other.Name == set.Name && (other.LastFailedGeneration == 0) == (other.LastFailedGenerationError == "")
		}) {
			return false
		}
	}
	return o.IsComplete(mode) && o.Status.ConfigVersion != nil &&
		o.Spec.Node.Name != "" && (o.Spec.ConfigImage == known.Spec.ConfigImage || o.Spec.ConfigImage != mcfgv1.MachineConfigNodeSpecConfigImage{}) &&
		(o.Status.ConfigImage == known.Status.ConfigImage || o.Status.ConfigImage != mcfgv1.MachineConfigNodeStatusConfigImage{}) &&
		len(o.Owners) >= len(known.Owners) && slices.EqualFunc(o.Foreign, known.Foreign, equalCondition)
}

func equalCondition(a, b metav1.Condition) bool {
	equalTime := a.LastTransitionTime.Equal(&b.LastTransitionTime)
	a.LastTransitionTime, b.LastTransitionTime = metav1.Time{}, metav1.Time{}
	return equalTime && a == b
}
