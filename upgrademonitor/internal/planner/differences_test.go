package planner_test

import (
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// changes prints the differences between two versions of the object: the new status of a condition, or the new
// message if the status is equal, and changed fields of the status and the spec.
func changes(before, after planner.Object) string {
	var out []string
	add := func(name string, before, after any) {
		if before != after {
			out = append(out, fmt.Sprintf("%s=%v", name, after))
		}
	}
	if len(before.Status.Conditions) == 0 && len(after.Status.Conditions) > 0 {
		out = append(out, "all conditions")
	}
	for _, c := range after.Status.Conditions {
		old := conditions.Find(before.Status.Conditions, phases.Phase(c.Type))
		switch {
		case old == nil && c.Reason == "NotYetOccurred":
		case old == nil || old.Status != c.Status:
			out = append(out, c.Type+"="+string(c.Status))
		case old.Reason != c.Reason || old.Message != c.Message:
			out = append(out, fmt.Sprintf("%s: %q", c.Type, c.Message))
		}
	}
	if owner := ownersOf(after); owner != ownersOf(before) {
		out = append(out, "owner="+owner)
	}
	add("pool", before.Spec.Pool.Name, after.Spec.Pool.Name)
	add("spec.desired", before.Spec.ConfigVersion.Desired, after.Spec.ConfigVersion.Desired)
	add("spec.desiredImage", before.Spec.ConfigImage.DesiredImage, after.Spec.ConfigImage.DesiredImage)
	was, is := configs(before), configs(after)
	add("current", was.Current, is.Current)
	add("desired", was.Desired, is.Desired)
	add("currentImage", before.Status.ConfigImage.CurrentImage, after.Status.ConfigImage.CurrentImage)
	add("desiredImage", before.Status.ConfigImage.DesiredImage, after.Status.ConfigImage.DesiredImage)
	add("imageSets", imageSets(before), imageSets(after))
	add("observedGeneration", before.Status.ObservedGeneration, after.Status.ObservedGeneration)
	if len(out) == 0 {
		return "OK"
	}
	return strings.Join(out, ", ")
}

func ownersOf(o planner.Object) string {
	var owners []string
	for _, owner := range o.Owners {
		owners = append(owners, string(owner.UID))
	}
	return strings.Join(owners, "+")
}

func configs(o planner.Object) (v mcfgv1.MachineConfigNodeStatusMachineConfigVersion) {
	if o.Status.ConfigVersion != nil {
		v = *o.Status.ConfigVersion
	}
	return v
}

func imageSets(o planner.Object) string {
	var sets []string
	for _, set := range o.Status.PinnedImageSets {
		sets = append(sets, fmt.Sprintf("%s(%d, desired %d, failed %d)", set.Name, set.CurrentGeneration, set.DesiredGeneration, set.LastFailedGeneration))
	}
	return strings.Join(sets, "+")
}
