package phases

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/phasetable"
)

// Phase is the type of a condition of a MachineConfigNode: a phase of a node update, or a
// singleton, which is independent of updates. Phase is an alias of the type in openshift/api.
type Phase = mcfgv1.StateProgress

// The phases. Each constant is named after its condition type. Package internal/phasetable has their kinds, parents
// and modes.
const (
	UpdatePrepared           = mcfgv1.MachineConfigNodeUpdatePrepared
	UpdateExecuted           = mcfgv1.MachineConfigNodeUpdateExecuted
	Cordoned                 = mcfgv1.MachineConfigNodeUpdateCordoned
	Drained                  = mcfgv1.MachineConfigNodeUpdateDrained
	AppliedFilesAndOS        = mcfgv1.MachineConfigNodeUpdateFilesAndOS
	AppliedFiles             = mcfgv1.MachineConfigNodeUpdateFiles
	AppliedOSImage           = mcfgv1.MachineConfigNodeUpdateOS
	ImagePulledFromRegistry  = mcfgv1.MachineConfigNodeImagePulledFromRegistry
	UpdatePostActionComplete = mcfgv1.MachineConfigNodeUpdatePostActionComplete
	RebootedNode             = mcfgv1.MachineConfigNodeUpdateRebooted
	Resumed                  = mcfgv1.MachineConfigNodeResumed
	UpdateComplete           = mcfgv1.MachineConfigNodeUpdateComplete
	Uncordoned               = mcfgv1.MachineConfigNodeUpdateUncordoned
	Updated                  = mcfgv1.MachineConfigNodeUpdated

	NodeDegraded               = mcfgv1.MachineConfigNodeNodeDegraded
	PinnedImageSetsProgressing = mcfgv1.MachineConfigNodePinnedImageSetsProgressing
	PinnedImageSetsDegraded    = mcfgv1.MachineConfigNodePinnedImageSetsDegraded
)

// Kind is the role of a phase in an update: a stage, a part of a stage, or none.
type Kind string

const (
	// Parent phases are the stages of an update, and the phase Updated.
	Parent Kind = "Parent"
	// Child phases are the parts of a stage. Each has one Parent: see ParentOf.
	Child Kind = "Child"
	// Singleton conditions are independent of updates, and may change to any status.
	Singleton Kind = "Singleton"
)

// KindOf returns the kind of a phase, or "" if p is not a phase.
func KindOf(p Phase) Kind {
	return Kind(phasetable.Of(p).Kind)
}

// ParentOf returns the parent of a child. It returns false if the phase is not a child.
func ParentOf(p Phase) (Phase, bool) {
	parent := phasetable.Of(p).Parent
	return parent, parent != ""
}

// All returns every phase of a mode, in the order in which the conditions are written. A node is in
// image mode if the feature gate ImageModeStatusReporting is enabled. Otherwise it is in standard
// mode. The caller may change the returned slice.
func All(inImageMode bool) []Phase {
	return slices.Clone(phasetable.In(inImageMode))
}
