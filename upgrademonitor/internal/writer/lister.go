package writer

import (
	"encoding/json"
	"fmt"

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
//  3. A transformer may trim the managed fields: then nobody is taken to have claimed anything,
//     and all image sets are taken to be this library's.
func FromLister(mcn *mcfgv1.MachineConfigNode, fieldManager string) (plan.State, error) {
	if _, claims := releaseUnowned(mcn.ManagedFields, fieldManager); claims {
		return plan.State{}, fmt.Errorf("the field manager %q owns fields of other managers: %w", fieldManager, ErrReadRequired)
	}
	for _, c := range mcn.Status.Conditions {
		if plan.Owned(c) && (c.Reason == "" || c.LastTransitionTime.IsZero()) {
			return plan.State{}, fmt.Errorf("the informer has no reason or time of condition %s: %w", c.Type, ErrReadRequired)
		}
		if c.Message == "" && c.Reason == conditions.ReasonNotYetOccurred {
			return plan.State{}, fmt.Errorf("the informer has no message of condition %s: %w", c.Type, ErrReadRequired)
		}
	}
	if len(mcn.Status.PinnedImageSets) == 0 && ownsImageSets(mcn.ManagedFields, fieldManager) {
		return plan.State{}, fmt.Errorf("the informer has no image sets, which the field manager %q owns: %w", fieldManager, ErrReadRequired)
	}
	return stateOf(mcn, fieldManager)
}

// stateOf splits a decoded object into what is this library's and what is not.
func stateOf(mcn *mcfgv1.MachineConfigNode, fieldManager string) (plan.State, error) {
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
	sets, unownedSets := splitImageSets(mcn.Status.PinnedImageSets, mcn.ManagedFields, fieldManager)
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
