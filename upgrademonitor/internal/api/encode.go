package api

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// patch is a merge patch. Its resourceVersion is the precondition.
type patch struct {
	Metadata patchMetadata  `json:"metadata"`
	Spec     map[string]any `json:"spec,omitempty"`
	Status   map[string]any `json:"status,omitempty"`
}

type patchMetadata struct {
	ResourceVersion string                  `json:"resourceVersion,omitempty"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences,omitempty"`
}

// condition is a metav1.Condition whose time is formatted already, in a third of the memory.
type condition struct {
	Type               string                 `json:"type"`
	Status             metav1.ConditionStatus `json:"status"`
	ObservedGeneration int64                  `json:"observedGeneration,omitempty"`
	LastTransitionTime string                 `json:"lastTransitionTime"`
	Reason             string                 `json:"reason"`
	Message            string                 `json:"message"`
}

// imageSet has the error of a failure even if that is empty: the CRD requires it.
type imageSet struct {
	mcfgv1.MachineConfigNodeStatusPinnedImageSet
	LastFailedGenerationError *string `json:"lastFailedGenerationError,omitempty"`
}

// specPatch is the patch of spec and owner references.
func specPatch(r core.Request) patch {
	p := patch{Metadata: patchMetadata{ResourceVersion: r.Base.ResourceVersion}, Spec: map[string]any{
		"node":          r.Next.Spec.Node,
		"pool":          r.Next.Spec.Pool,
		"configVersion": r.Next.Spec.ConfigVersion,
	}}
	if r.Next.Spec.ConfigImage != r.Base.Spec.ConfigImage {
		p.Spec["configImage"] = nullIfZero(r.Next.Spec.ConfigImage)
	}
	if !slices.Equal(r.Next.Owners, r.Base.Owners) {
		p.Metadata.OwnerReferences = r.Next.Owners
	}
	return p
}

// statusPatch is the patch of the status: the whole list of conditions, and what changes of the
// rest.
func statusPatch(r core.Request) patch {
	before, next := r.Base.Status, r.Next.Status
	status := map[string]any{"conditions": encodeConditions(next.Conditions, r.Base.Foreign)}
	if next.ObservedGeneration != before.ObservedGeneration {
		status["observedGeneration"] = next.ObservedGeneration
	}
	if v := next.ConfigVersion; v != nil && (before.ConfigVersion == nil || *v != *before.ConfigVersion) {
		status["configVersion"] = map[string]any{"current": nullIfZero(v.Current), "desired": v.Desired}
	}
	switch image := next.ConfigImage; image {
	case before.ConfigImage:
	case mcfgv1.MachineConfigNodeStatusConfigImage{}:
		status["configImage"] = nil
	default:
		status["configImage"] = map[string]any{"currentImage": nullIfZero(image.CurrentImage), "desiredImage": nullIfZero(image.DesiredImage)}
	}
	if !slices.Equal(next.PinnedImageSets, before.PinnedImageSets) {
		status["pinnedImageSets"] = encodeImageSets(next.PinnedImageSets)
	}
	return patch{Metadata: patchMetadata{ResourceVersion: r.Base.ResourceVersion}, Status: status}
}

// encodeConditions returns the conditions, and after them those of others as they were read.
func encodeConditions(list []metav1.Condition, foreign []json.RawMessage) []any {
	encoded := make([]condition, len(list))
	all := make([]any, 0, len(list)+len(foreign))
	times := formatTimes(list)
	for i := range list {
		c := &list[i]
		end := strings.IndexByte(times, 'Z') + 1
		encoded[i] = condition{
			Type:               c.Type,
			Status:             c.Status,
			ObservedGeneration: c.ObservedGeneration,
			LastTransitionTime: times[:end],
			Reason:             c.Reason,
			Message:            c.Message,
		}
		times = times[end:]
		all = append(all, &encoded[i])
	}
	for _, c := range foreign {
		all = append(all, c)
	}
	return all
}

// formatTimes returns the times of all conditions in one string, each ending in Z.
func formatTimes(list []metav1.Condition) string {
	times := make([]byte, 0, len(list)*len(time.RFC3339))
	for i := range list {
		times = list[i].LastTransitionTime.UTC().AppendFormat(times, time.RFC3339)
	}
	return string(times)
}

// encodeImageSets returns the list, nil if it is empty, which removes it.
func encodeImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []imageSet {
	var encoded []imageSet
	for _, set := range sets {
		e := imageSet{MachineConfigNodeStatusPinnedImageSet: set}
		if set.LastFailedGeneration > 0 {
			e.LastFailedGenerationError = &set.LastFailedGenerationError
		}
		encoded = append(encoded, e)
	}
	return encoded
}

// nullIfZero returns what a merge patch sets a value to: null removes it.
func nullIfZero[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}
