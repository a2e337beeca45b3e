package api

import (
	"encoding/json"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// patch is a merge patch. The patch fails if its resourceVersion is out of date.
type patch struct {
	Metadata struct {
		ResourceVersion string                  `json:"resourceVersion,omitempty"`
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences,omitempty"`
	} `json:"metadata"`
	Spec   *spec   `json:"spec,omitempty"`
	Status *status `json:"status,omitempty"`
}

// null, as the value of a field in a merge patch, removes the field.
var null = json.RawMessage("null")

type spec struct {
	mcfgv1.MachineConfigNodeSpec
	ConfigImage any `json:"configImage,omitempty"` // nil unless the image changes
}

// status has the conditions of all clients, and each other field only if it changes.
type status struct {
	Conditions         []metav1.Condition `json:"conditions"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	ConfigVersion      map[string]any     `json:"configVersion,omitempty"`
	ConfigImage        any                `json:"configImage,omitempty"`
	PinnedImageSets    any                `json:"pinnedImageSets,omitempty"`
}

func specPatch(r core.Request) patch {
	p := patch{Spec: &spec{MachineConfigNodeSpec: r.Next.Spec}}
	p.Metadata.ResourceVersion = r.Base.ResourceVersion
	if !slices.Equal(r.Next.Owners, r.Base.Owners) {
		p.Metadata.OwnerReferences = r.Next.Owners
	}
	if r.Next.Spec.ConfigImage != r.Base.Spec.ConfigImage {
		p.Spec.ConfigImage = nullIfZero(r.Next.Spec.ConfigImage)
	}
	return p
}

func statusPatch(r core.Request) patch {
	before, next := r.Base.Status, r.Next.Status
	s := &status{Conditions: slices.Concat(next.Conditions, r.Base.Foreign)}
	if next.ObservedGeneration != before.ObservedGeneration {
		s.ObservedGeneration = next.ObservedGeneration
	}
	if v := next.ConfigVersion; v != nil && (before.ConfigVersion == nil || *v != *before.ConfigVersion) {
		s.ConfigVersion = map[string]any{"current": nullIfZero(v.Current), "desired": v.Desired}
	}
	switch image := next.ConfigImage; image {
	case before.ConfigImage:
	case mcfgv1.MachineConfigNodeStatusConfigImage{}:
		s.ConfigImage = null
	default:
		s.ConfigImage = map[string]any{"currentImage": nullIfZero(image.CurrentImage), "desiredImage": nullIfZero(image.DesiredImage)}
	}
	if !slices.Equal(next.PinnedImageSets, before.PinnedImageSets) {
		s.PinnedImageSets = encodeImageSets(next.PinnedImageSets)
	}
	p := patch{Status: s}
	p.Metadata.ResourceVersion = r.Base.ResourceVersion
	return p
}

// imageSet can encode an empty error, because the CRD requires the field for a failed set.
type imageSet struct {
	mcfgv1.MachineConfigNodeStatusPinnedImageSet
	LastFailedGenerationError *string `json:"lastFailedGenerationError,omitempty"`
}

// encodeImageSets returns the list for a patch, or null if the patch must remove the list.
func encodeImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) any {
	if len(sets) == 0 {
		return null
	}
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

func nullIfZero[T comparable](value T) any {
	if value == *new(T) {
		return null
	}
	return value
}
