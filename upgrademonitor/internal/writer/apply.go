package writer

import (
	"context"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// applied is the body of an apply of the status. It carries all that this library owns, and
// nothing else. Absent is what is not to be claimed: the typed status has no way to say so.
type applied struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   appliedMetadata `json:"metadata"`
	Status     appliedStatus   `json:"status"`
}

type appliedMetadata struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

type appliedStatus struct {
	Conditions         []appliedCondition                         `json:"conditions,omitempty"`
	ObservedGeneration int64                                      `json:"observedGeneration,omitempty"`
	ConfigVersion      *appliedVersion                            `json:"configVersion,omitempty"`
	ConfigImage        *mcfgv1.MachineConfigNodeStatusConfigImage `json:"configImage,omitempty"`
	PinnedImageSets    []appliedImageSet                          `json:"pinnedImageSets,omitempty"`
}

// appliedCondition is a metav1.Condition whose time is a string already: a third of the memory.
type appliedCondition struct {
	Type               string                 `json:"type"`
	Status             metav1.ConditionStatus `json:"status"`
	ObservedGeneration int64                  `json:"observedGeneration,omitempty"`
	LastTransitionTime string                 `json:"lastTransitionTime"`
	Reason             string                 `json:"reason"`
	Message            string                 `json:"message"`
}

type appliedVersion struct {
	Current string `json:"current,omitempty"`
	Desired string `json:"desired"`
}

// appliedImageSet has the error of a failure even where that is empty: the CRD requires it.
type appliedImageSet struct {
	Name                      string  `json:"name"`
	CurrentGeneration         int32   `json:"currentGeneration,omitempty"`
	DesiredGeneration         int32   `json:"desiredGeneration,omitempty"`
	LastFailedGeneration      int32   `json:"lastFailedGeneration,omitempty"`
	LastFailedGenerationError *string `json:"lastFailedGenerationError,omitempty"`
}

// applyStatus applies the status of a state, by force: who else has set a value of this
// library's loses it.
func (w Writer) applyStatus(ctx context.Context, base, next plan.State) (plan.State, error) {
	status := &next.Object.Status
	body := applied{
		APIVersion: mcfgv1.GroupVersion.String(),
		Kind:       kind,
		Metadata:   appliedMetadata{Name: w.client.NodeName(), ResourceVersion: base.Object.ResourceVersion},
		Status: appliedStatus{
			Conditions:         appliedConditions(status.Conditions),
			ObservedGeneration: observedGeneration(base.Object),
			ConfigVersion:      appliedVersionOf(status.ConfigVersion),
			PinnedImageSets:    appliedImageSets(status.PinnedImageSets),
		},
	}
	if status.ConfigImage != (mcfgv1.MachineConfigNodeStatusConfigImage{}) {
		body.Status.ConfigImage = &status.ConfigImage
	}
	force := true
	opts := w.patchOptions()
	opts.Force = &force
	r, err := w.patch(ctx, base, types.ApplyPatchType, body, opts, "status")
	if err != nil {
		return plan.State{}, err
	}
	return afterStatus(base, next, r), nil
}

// observedGeneration is the generation that the status is written on; it never decreases.
func observedGeneration(on *mcfgv1.MachineConfigNode) int64 {
	return max(on.Status.ObservedGeneration, on.Generation)
}

// afterStatus is the state that the write of a status has led to.
func afterStatus(base, next plan.State, r response) plan.State {
	object := *next.Object
	object.ObjectMeta, object.Spec = base.Object.ObjectMeta, base.Object.Spec
	object.Status.ObservedGeneration = observedGeneration(base.Object)
	object.ResourceVersion, object.Generation = r.Metadata.ResourceVersion, r.Metadata.Generation
	next.Object = &object
	next.Unowned.Conditions, next.Unowned.Verbatim, next.Unowned.Exact = base.Unowned.Conditions, base.Unowned.Verbatim, base.Unowned.Exact
	next.NoImageField = next.NoImageField || base.NoImageField
	return next
}

func appliedConditions(list []metav1.Condition) []appliedCondition {
	conditions := make([]appliedCondition, len(list))
	times := formatTimes(list)
	for i := range list {
		c := &list[i]
		end := strings.IndexByte(times, 'Z') + 1
		conditions[i] = appliedCondition{
			Type:               c.Type,
			Status:             c.Status,
			ObservedGeneration: c.ObservedGeneration,
			LastTransitionTime: times[:end],
			Reason:             c.Reason,
			Message:            c.Message,
		}
		times = times[end:]
	}
	return conditions
}

// formatTimes returns the times of all conditions in one string, each ending in Z.
func formatTimes(list []metav1.Condition) string {
	times := make([]byte, 0, len(list)*len(time.RFC3339))
	for i := range list {
		times = list[i].LastTransitionTime.UTC().AppendFormat(times, time.RFC3339)
	}
	return string(times)
}

func appliedVersionOf(v *mcfgv1.MachineConfigNodeStatusMachineConfigVersion) *appliedVersion {
	if v == nil {
		return nil
	}
	return &appliedVersion{Current: v.Current, Desired: v.Desired}
}

func appliedImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []appliedImageSet {
	applied := make([]appliedImageSet, len(sets))
	for i := range sets {
		set := &sets[i]
		applied[i] = appliedImageSet{
			Name:                 set.Name,
			CurrentGeneration:    set.CurrentGeneration,
			DesiredGeneration:    set.DesiredGeneration,
			LastFailedGeneration: set.LastFailedGeneration,
		}
		if set.LastFailedGeneration > 0 || set.LastFailedGenerationError != "" {
			applied[i].LastFailedGenerationError = &set.LastFailedGenerationError
		}
	}
	return applied
}
