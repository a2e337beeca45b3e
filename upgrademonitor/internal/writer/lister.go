package writer

import (
	"encoding/json"
	"fmt"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// FromLister returns the state of an object of an informer. The object is not changed.
//
//  1. State.Unowned.Exact is false where others have conditions or image sets: they were decoded.
//  2. The error is ErrReadRequired where the field manager claims what is not this library's, see
//     Writer.Read, or where a transformer of the informer has trimmed the object's conditions or
//     image sets.
//  3. So it is where a transformer has trimmed the managed fields, which every object of an API
//     server has, and nothing is known yet, or there is an image set that is new. Else nobody is
//     taken to have claimed anything since what is known was.
func (w Writer) FromLister(mcn *mcfgv1.MachineConfigNode, known plan.State) (plan.State, error) {
	others := func() map[string]bool { return imageSetsOfOthers(mcn.ManagedFields, w.fieldManager) }
	if len(mcn.ManagedFields) == 0 && w.client.HasREST() {
		if !knowsImageSets(known, mcn.Status.PinnedImageSets) {
			return plan.State{}, fmt.Errorf("the informer has no managed fields: %w", ErrReadRequired)
		}
		others = func() map[string]bool { return namesOf(known.Unowned.ImageSets) }
	}
	if _, claims := releaseUnowned(mcn.ManagedFields, w.fieldManager); claims {
		return plan.State{}, fmt.Errorf("the field manager %q owns fields of other managers: %w", w.fieldManager, ErrReadRequired)
	}
	for _, c := range mcn.Status.Conditions {
		if plan.Owned(c) && (c.Reason == "" || c.LastTransitionTime.IsZero()) {
			return plan.State{}, fmt.Errorf("the informer has no reason or time of condition %s: %w", c.Type, ErrReadRequired)
		}
		if c.Message == "" && c.Reason == conditions.ReasonNotYetOccurred {
			return plan.State{}, fmt.Errorf("the informer has no message of condition %s: %w", c.Type, ErrReadRequired)
		}
	}
	if len(mcn.Status.PinnedImageSets) == 0 && ownsImageSets(mcn.ManagedFields, w.fieldManager) {
		return plan.State{}, fmt.Errorf("the informer has no image sets, which the field manager %q owns: %w", w.fieldManager, ErrReadRequired)
	}
	return stateOf(mcn, others)
}

// knowsImageSets reports whether it is known who owns each of the sets.
func knowsImageSets(known plan.State, sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
	if known.Object == nil {
		return false
	}
	own, others := namesOf(known.Object.Status.PinnedImageSets), namesOf(known.Unowned.ImageSets)
	return !slices.ContainsFunc(sets, func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		return !own[set.Name] && !others[set.Name]
	})
}

func namesOf(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) map[string]bool {
	names := make(map[string]bool, len(sets))
	for _, set := range sets {
		names[set.Name] = true
	}
	return names
}

// stateOf splits a decoded object into what is this library's and what is not, such as the image
// sets of others.
func stateOf(mcn *mcfgv1.MachineConfigNode, others func() map[string]bool) (plan.State, error) {
	var (
		owned   []metav1.Condition
		unowned []json.RawMessage
	)
	for _, c := range mcn.Status.Conditions {
		if plan.Owned(c) {
			owned = append(owned, c)
			continue
		}
		data, err := json.Marshal(c)
		if err != nil {
			return plan.State{}, err
		}
		unowned = append(unowned, data)
	}
	sets, unownedSets := splitImageSets(mcn.Status.PinnedImageSets, others)
	kept := *mcn
	kept.ManagedFields = nil
	kept.Status = mcfgv1.MachineConfigNodeStatus{
		Conditions:         owned,
		ObservedGeneration: mcn.Status.ObservedGeneration,
		ConfigVersion:      mcn.Status.ConfigVersion,
		ConfigImage:        mcn.Status.ConfigImage,
		PinnedImageSets:    sets,
	}
	return plan.State{Object: &kept, Unowned: plan.Unowned{Conditions: unowned, ImageSets: unownedSets, Exact: len(unowned)+len(unownedSets) == 0}}, nil
}
