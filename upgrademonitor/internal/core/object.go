package core

import (
	"encoding/json"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Object is one version of a MachineConfigNode. It is immutable.
type Object struct {
	UID             types.UID
	ResourceVersion string
	plan.State
	// Foreign are the conditions that are no phases, as the API server encodes them.
	Foreign []json.RawMessage
}

func (o Object) hasStatus() bool { return len(o.Status.Conditions) > 0 }

// Situation is what is known of the object.
type Situation string

// The situations, see the package comment.
const (
	Unknown    Situation = ""           // it was never read
	Fresh      Situation = "Fresh"      // nobody is known to have written since the last read or write
	Stale      Situation = "Stale"      // others have, or may have: read it
	Unanswered Situation = "Unanswered" // the last write had no answer: read it
	Deleted    Situation = "Deleted"    // the Lister had it and has it no more: read it, even if nothing is pending
	Missing    Situation = "Missing"    // it does not exist: create it
	Recreated  Situation = "Recreated"  // it has no status, and gets that of the deleted one
)

// hasAllOf reports whether nothing is missing in an object of an informer, which may trim objects,
// compared with the last version that is known.
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

// equalCondition reports whether two encoded conditions are equal. One that Go cannot decode
// equals none.
func equalCondition(a, b json.RawMessage) bool {
	var c, d metav1.Condition
	if json.Unmarshal(a, &c) != nil || json.Unmarshal(b, &d) != nil {
		return false
	}
	equalTime := c.LastTransitionTime.Equal(&d.LastTransitionTime)
	c.LastTransitionTime, d.LastTransitionTime = metav1.Time{}, metav1.Time{}
	return equalTime && c == d
}

// isOfAnotherNode reports whether an object belongs to another Node than the one among the owners: one that
// was created again, to which its status means nothing.
func (o Object) isOfAnotherNode(owners ...metav1.OwnerReference) bool {
	i, j := slices.IndexFunc(o.Owners, nodeowner.Is), slices.IndexFunc(owners, nodeowner.Is)
	return i >= 0 && j >= 0 && owners[j].UID != "" && o.Owners[i].UID != owners[j].UID
}
