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
	// Foreign has the conditions of other clients. Their types are not phases.
	Foreign []metav1.Condition
}

// Situation says whether the known object is up to date.
type Situation string

// The situations: see the package comment.
const (
	Unread     Situation = ""           // the object was never read
	Fresh      Situation = "Fresh"      // no other client is known to have written a newer version
	Stale      Situation = "Stale"      // another client may have written the object: read the object
	NoResponse Situation = "NoResponse" // the last write had no response: read the object
	Missing    Situation = "Missing"    // the object does not exist: create it
)

// hasAllOf reports whether o has every field that known has. An informer may drop fields of o.
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
