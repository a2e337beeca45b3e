package writer

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// mergeStatus makes the status that of a state, by one merge patch, which replaces lists as a
// whole: what is no longer in them is removed, whoever owns it. What others keep in them is sent
// as it was read; other fields are not touched.
//
// It is no JSON patch, although that could test the resource version: one that comes too late is
// rejected with 422, as an invalid object is, where this one is with 409.
func (w Writer) mergeStatus(ctx context.Context, base, next plan.State) (plan.State, error) {
	if !base.Unowned.Exact && len(base.Unowned.Conditions)+len(base.Unowned.ImageSets) > 0 {
		return plan.State{}, fmt.Errorf("the conditions and image sets of other managers were not read verbatim: %w", ErrReadRequired)
	}
	r, err := w.patch(ctx, base, types.MergePatchType, map[string]any{
		"metadata": map[string]any{"resourceVersion": base.Object.ResourceVersion},
		"status":   mergedStatus(base, next),
	}, w.patchOptions(), "status")
	if err != nil {
		return plan.State{}, err
	}
	after := afterStatus(base, next, r)
	none := mcfgv1.MachineConfigNodeStatusConfigImage{}
	if next.Object.Status.ConfigImage != none {
		after.NoImageField = r.Status.ConfigImage == none
		after.Object.Status.ConfigImage = r.Status.ConfigImage
	}
	return after, nil
}

func mergedStatus(base, next plan.State) map[string]any {
	before, status := base.Object.Status, next.Object.Status
	conditions := make([]any, 0, len(status.Conditions)+len(base.Unowned.Conditions))
	for _, c := range appliedConditions(status.Conditions) {
		conditions = append(conditions, c)
	}
	for _, c := range base.Unowned.Conditions {
		conditions = append(conditions, c)
	}
	fields := map[string]any{"conditions": conditions}
	if generation := observedGeneration(base.Object); generation > 0 {
		fields["observedGeneration"] = generation
	}
	if v := status.ConfigVersion; v != nil {
		fields["configVersion"] = map[string]any{"desired": v.Desired, "current": nullIfEmpty(v.Current)}
	}
	if sets := mergedImageSets(status.PinnedImageSets, next.Unowned); len(sets) > 0 {
		fields["pinnedImageSets"] = sets
	} else if len(before.PinnedImageSets)+len(base.Unowned.ImageSets) > 0 {
		fields["pinnedImageSets"] = nil
	}
	none := mcfgv1.MachineConfigNodeStatusConfigImage{}
	switch image := status.ConfigImage; {
	case image != none:
		fields["configImage"] = map[string]any{"currentImage": nullIfEmpty(image.CurrentImage), "desiredImage": nullIfEmpty(image.DesiredImage)}
	case before.ConfigImage != none:
		fields["configImage"] = nil
	}
	return fields
}

// mergedImageSets returns the sets as this library encodes them, and after them those of others
// as they were read.
func mergedImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet, others plan.Unowned) []any {
	var merged []any
	for _, set := range appliedImageSets(sets) {
		merged = append(merged, set)
	}
	for i, set := range appliedImageSets(others.ImageSets) {
		if data, ok := others.Verbatim[others.ImageSets[i].Name]; ok {
			merged = append(merged, data)
		} else { // a fake clientset's
			merged = append(merged, set)
		}
	}
	return merged
}

// mergeSpec makes the owner references and the spec those of a state. It is a merge patch, not
// an apply: it changes a value whoever has set it, where an apply could only add to a list that
// another field manager has set as well.
func (w Writer) mergeSpec(ctx context.Context, base, next plan.State) (plan.State, error) {
	none := mcfgv1.MachineConfigNodeSpecConfigImage{}
	after := next.Object.Spec
	fields := map[string]any{
		"node":          after.Node,
		"pool":          after.Pool,
		"configVersion": after.ConfigVersion,
	}
	switch {
	case after.ConfigImage != none:
		fields["configImage"] = after.ConfigImage
	case base.Object.Spec.ConfigImage != none:
		fields["configImage"] = nil
	}
	r, err := w.patch(ctx, base, types.MergePatchType, map[string]any{
		"metadata": map[string]any{
			"resourceVersion": base.Object.ResourceVersion,
			"ownerReferences": next.Object.OwnerReferences,
		},
		"spec": fields,
	}, w.patchOptions())
	if err != nil {
		return plan.State{}, err
	}
	return afterSpec(base, next, r), nil
}

// afterSpec is the state that the write of a spec has led to. A CRD without configImage drops
// the image without an error.
func afterSpec(base, next plan.State, r response) plan.State {
	none := mcfgv1.MachineConfigNodeSpecConfigImage{}
	object := *base.Object
	object.OwnerReferences, object.Spec = next.Object.OwnerReferences, next.Object.Spec
	object.ResourceVersion, object.Generation = r.Metadata.ResourceVersion, r.Metadata.Generation
	next.Unowned = base.Unowned
	next.NoImageField = next.NoImageField || base.NoImageField
	if object.Spec.ConfigImage != none {
		next.NoImageField = r.Spec.ConfigImage == none
		object.Spec.ConfigImage = r.Spec.ConfigImage
	}
	next.Object = &object
	return next
}

// nullIfEmpty returns what a merge patch sets, or removes, a string by.
func nullIfEmpty[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return s
}
