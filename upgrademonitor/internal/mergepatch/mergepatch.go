// Package mergepatch encodes a change of a MachineConfigNode as a JSON merge patch.
//
// A merge patch replaces a whole list. So a patch that changes one condition contains all conditions,
// including the conditions of other clients. The patch also contains the UID and the resourceVersion
// of the object that it was computed from. If another client has written the object in the meantime,
// the patch fails with a 409, and reverts nothing.
package mergepatch

import (
	"encoding/json"
	"reflect"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/types"
)

// fields has the fields of a merge patch. The value nil removes a field.
type fields map[string]any

// Create returns a merge patch with the fields of the owner references, the spec and the status
// that differ between before and after. The API server rejects the patch if the stored object does
// not have the UID and the resourceVersion of before.
func Create(before, after *mcfgv1.MachineConfigNode) ([]byte, error) {
	metadata := fields{}
	change(metadata, "uid", types.UID(""), before.UID)
	change(metadata, "resourceVersion", "", before.ResourceVersion)
	if !reflect.DeepEqual(before.OwnerReferences, after.OwnerReferences) {
		metadata["ownerReferences"] = after.OwnerReferences
	}
	patch := fields{"metadata": metadata}
	if spec := specPatch(before.Spec, after.Spec); len(spec) > 0 {
		patch["spec"] = spec
	}
	if status := statusPatch(before.Status, after.Status); len(status) > 0 {
		patch["status"] = status
	}
	return json.Marshal(patch)
}

func specPatch(before, after mcfgv1.MachineConfigNodeSpec) fields {
	f := fields{}
	change(f, "node", before.Node, after.Node)
	change(f, "pool", before.Pool, after.Pool)
	change(f, "configVersion", before.ConfigVersion, after.ConfigVersion)
	change(f, "configImage", before.ConfigImage, after.ConfigImage)
	return f
}

func statusPatch(before, after mcfgv1.MachineConfigNodeStatus) fields {
	f := fields{}
	changeList(f, "conditions", before.Conditions, after.Conditions)
	change(f, "observedGeneration", before.ObservedGeneration, after.ObservedGeneration)
	if v := after.ConfigVersion; v != nil && (before.ConfigVersion == nil || *v != *before.ConfigVersion) {
		f["configVersion"] = fields{"current": orNil(v.Current), "desired": v.Desired}
	}
	change(f, "configImage", before.ConfigImage, after.ConfigImage)
	if image := after.ConfigImage; f["configImage"] != nil {
		f["configImage"] = fields{
			"currentImage": orNil(image.CurrentImage),
			"desiredImage": orNil(image.DesiredImage),
		}
	}
	changeList(f, "pinnedImageSets", imageSets(before.PinnedImageSets), imageSets(after.PinnedImageSets))
	return f
}

// imageSet is a set in a patch. If the set has failed, it contains the error even if the error is
// empty, because the CRD requires the field.
type imageSet struct {
	mcfgv1.MachineConfigNodeStatusPinnedImageSet
	LastFailedGenerationError any `json:"lastFailedGenerationError,omitempty"`
}

func imageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []imageSet {
	var encoded []imageSet
	for _, set := range sets {
		e := imageSet{MachineConfigNodeStatusPinnedImageSet: set}
		if set.LastFailedGeneration > 0 {
			e.LastFailedGenerationError = set.LastFailedGenerationError
		}
		encoded = append(encoded, e)
	}
	return encoded
}

// change adds a field to a patch if its value changes.
func change[T comparable](f fields, name string, before, after T) {
	if before != after {
		f[name] = orNil(after)
	}
}

func changeList[T comparable](f fields, name string, before, after []T) {
	if !slices.Equal(before, after) {
		f[name] = after // a nil list encodes to null
	}
}

// orNil returns nil for an empty value, because the CRD does not accept empty values.
func orNil[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}
