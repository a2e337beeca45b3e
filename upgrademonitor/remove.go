package upgrademonitor

import (
	"context"
	"encoding/json"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// removes reports whether something that is ours goes from the one status to the other: a
// condition of the other mode, an image set or a failure of one, or an image.
func removes(from, to mcfgv1.MachineConfigNodeStatus) bool {
	goes := func(from, to mcfgv1.ImageDigestFormat) bool { return from != "" && to == "" }
	return goes(from.ConfigImage.CurrentImage, to.ConfigImage.CurrentImage) ||
		goes(from.ConfigImage.DesiredImage, to.ConfigImage.DesiredImage) ||
		slices.ContainsFunc(from.Conditions, func(c metav1.Condition) bool { return isOurs(c) && !hasCondition(to, c.Type) }) ||
		slices.ContainsFunc(from.PinnedImageSets, func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
			after := imageSet(to.PinnedImageSets, set.Name)
			return after == nil || set.LastFailedGeneration > 0 && after.LastFailedGeneration == 0
		})
}

func isOurs(c metav1.Condition) bool { return phases.KindOf(phases.Phase(c.Type)) != "" }

func hasCondition(status mcfgv1.MachineConfigNodeStatus, name string) bool {
	return slices.ContainsFunc(status.Conditions, func(c metav1.Condition) bool { return c.Type == name })
}

// operation is one of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patchStatus makes the status on the object as it is known that of w.next, by one JSON
// patch with the resource version as the precondition. Foreign conditions stay as they are;
// fields that are not ours are not touched.
//
// The patch sets the resource version, where one would expect it to test it: either is
// refused when others wrote first, but a test is answered with 422, as an invalid object is.
func (m *Monitor) patchStatus(ctx context.Context, w write) (*mcfgv1.MachineConfigNode, error) {
	base, status := m.base(), w.next.object.Status
	list := slices.Clone(status.Conditions)
	for _, c := range base.Status.Conditions {
		if !isOurs(c) {
			list = append(list, c)
		}
	}
	var patch []operation
	if base.ResourceVersion != "" {
		patch = append(patch, operation{"replace", "/metadata/resourceVersion", base.ResourceVersion})
	}
	patch = append(patch, operation{"add", "/status/conditions", list})
	if status.ConfigVersion != nil {
		patch = append(patch, operation{"add", "/status/configVersion", configVersion(*status.ConfigVersion)})
	}
	if generation := observedGeneration(base); generation > 0 {
		patch = append(patch, operation{"add", "/status/observedGeneration", generation})
	}
	before := base.Status
	patch = append(patch, change("/status/pinnedImageSets", len(before.PinnedImageSets) > 0, len(status.PinnedImageSets) > 0, applyImageSets(status.PinnedImageSets))...)
	none := mcfgv1.MachineConfigNodeStatusConfigImage{}
	patch = append(patch, change("/status/configImage", before.ConfigImage != none, status.ConfigImage != none, status.ConfigImage)...)

	data, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	return m.client.Patch(ctx, m.config.NodeName, types.JSONPatchType, data, metav1.PatchOptions{FieldManager: m.config.FieldManager}, "status")
}

// change sets or removes a field that is or is not there.
func change(path string, was, is bool, value any) []operation {
	switch {
	case is:
		return []operation{{"add", path, value}}
	case was:
		return []operation{{Op: "remove", Path: path}}
	default:
		return nil
	}
}

// configVersion is the version as the API server takes it: an empty current one is none.
func configVersion(v mcfgv1.MachineConfigNodeStatusMachineConfigVersion) map[string]string {
	if v.Current == "" {
		return map[string]string{"desired": v.Desired}
	}
	return map[string]string{"current": v.Current, "desired": v.Desired}
}
