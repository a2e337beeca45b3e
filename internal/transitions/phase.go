package transitions

import (
	"slices"

	"github.com/openshift/upgrademonitor/phases"
)

var standardMode, imageMode = phases.All(false), phases.All(true)

// All returns the phases of both modes, in the order of phases.All.
func All() []phases.Phase {
	all := phases.All(true)
	return slices.Insert(all, slices.Index(all, phases.AppliedFiles), phases.AppliedFilesAndOS)
}

// ExistsIn reports whether a phase exists in image mode or, if inImageMode is false, in standard mode.
func ExistsIn(p phases.Phase, inImageMode bool) bool {
	return slices.Contains(phasesOf(inImageMode), p)
}

func phasesOf(inImageMode bool) []phases.Phase {
	if inImageMode {
		return imageMode
	}
	return standardMode
}

// IsStep reports whether a phase is a step of an update: a Parent or a Child, but not Updated.
func IsStep(p phases.Phase) bool {
	kind := phases.KindOf(p)
	return kind == phases.Child || kind == phases.Parent && p != phases.Updated
}

// RunsOnlyInUpdate reports whether a phase is a step that runs only during an update. A daemon reports
// the other steps (Resumed, UpdateComplete and Uncordoned) also when it restarts.
func RunsOnlyInUpdate(p phases.Phase) bool {
	return IsStep(p) && p != phases.Resumed && p != phases.UpdateComplete && p != phases.Uncordoned
}
