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

// patchStatus makes the status that of a state, by one merge patch. Foreign conditions stay
// as they are; fields that are not ours are not touched.
//
// It is no JSON patch, although that could test the resource version: one that comes too
// late is answered with 422, as an invalid object is, where this one is with 409.
func (m *Monitor) patchStatus(ctx context.Context, on *mcfgv1.MachineConfigNode, next state) (*mcfgv1.MachineConfigNode, error) {
	status := next.object.Status
	list := slices.Clone(status.Conditions)
	for _, c := range on.Status.Conditions {
		if !isOurs(c) {
			list = append(list, c)
		}
	}
	fields := map[string]any{"conditions": list}
	if generation := observedGeneration(on); generation > 0 {
		fields["observedGeneration"] = generation
	}
	if v := status.ConfigVersion; v != nil {
		fields["configVersion"] = map[string]any{"desired": v.Desired, "current": orNull(v.Current)}
	}
	if len(on.Status.PinnedImageSets)+len(status.PinnedImageSets) > 0 {
		fields["pinnedImageSets"] = applyImageSets(status.PinnedImageSets) // null removes it
	}
	none := mcfgv1.MachineConfigNodeStatusConfigImage{}
	switch image := status.ConfigImage; {
	case image != none:
		fields["configImage"] = map[string]any{"currentImage": orNull(image.CurrentImage), "desiredImage": orNull(image.DesiredImage)}
	case on.Status.ConfigImage != none:
		fields["configImage"] = nil
	}
	return m.mergePatch(ctx, map[string]any{
		"metadata": map[string]any{"resourceVersion": on.ResourceVersion},
		"status":   fields,
	}, "status")
}

// orNull returns what a merge patch sets, or removes, a string by.
func orNull[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return s
}

// mergePatch patches the object or its status (RFC 7386).
func (m *Monitor) mergePatch(ctx context.Context, patch map[string]any, subresources ...string) (*mcfgv1.MachineConfigNode, error) {
	data, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	return m.client.Patch(ctx, m.config.NodeName, types.MergePatchType, data, metav1.PatchOptions{
		FieldManager:    m.config.FieldManager,
		FieldValidation: noFieldValidation,
	}, subresources...)
}
