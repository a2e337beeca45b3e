package phases

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// Phase is the type of a condition of a MachineConfigNode: a phase of a node update, or a
// singleton, which is independent of updates. Phase is an alias of the type in openshift/api.
type Phase = mcfgv1.StateProgress

// The phases. Each constant is named after its condition type.
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

// mode says in which mode of a node a phase exists.
type mode string

const (
	anyMode      mode = "any"
	standardOnly mode = "standard"
	imageOnly    mode = "image"
)

type row struct {
	phase  Phase
	kind   Kind
	parent Phase
	mode   mode
}

// table has a row for each phase, in the order in which the conditions are written. NodeDegraded
// precedes Updated: if both are True, some clients show only the first of them.
var table = []row{
	{UpdatePrepared, Parent, "", anyMode},
	{UpdateExecuted, Parent, "", anyMode},
	{Cordoned, Child, UpdateExecuted, anyMode},
	{Drained, Child, UpdateExecuted, anyMode},
	{AppliedFilesAndOS, Child, UpdateExecuted, standardOnly},
	{AppliedFiles, Child, UpdateExecuted, imageOnly},
	{AppliedOSImage, Child, UpdateExecuted, imageOnly},
	{ImagePulledFromRegistry, Child, UpdateExecuted, imageOnly},
	{UpdatePostActionComplete, Parent, "", anyMode},
	{RebootedNode, Parent, "", anyMode},
	{Resumed, Parent, "", anyMode},
	{UpdateComplete, Parent, "", anyMode},
	{Uncordoned, Child, UpdateComplete, anyMode},
	{NodeDegraded, Singleton, "", anyMode},
	{Updated, Parent, "", anyMode},
	{PinnedImageSetsProgressing, Singleton, "", anyMode},
	{PinnedImageSetsDegraded, Singleton, "", anyMode},
}

var (
	rows         = byPhase(table)
	standardMode = ofMode(table, standardOnly)
	imageMode    = ofMode(table, imageOnly)
)

func byPhase(table []row) map[Phase]row {
	m := make(map[Phase]row, len(table))
	for _, r := range table {
		m[r.phase] = r
	}
	return m
}

func ofMode(table []row, m mode) []Phase {
	var ps []Phase
	for _, r := range table {
		if r.mode == anyMode || r.mode == m {
			ps = append(ps, r.phase)
		}
	}
	return ps
}

// KindOf returns the kind of a phase, or "" if p is not a phase.
func KindOf(p Phase) Kind {
	return rows[p].kind
}

// ParentOf returns the parent of a child. It returns false if the phase is not a child.
func ParentOf(p Phase) (Phase, bool) {
	parent := rows[p].parent
	return parent, parent != ""
}

// All returns every phase of a mode, in the order in which the conditions are written. A node is in
// image mode if the feature gate ImageModeStatusReporting is enabled. Otherwise it is in standard
// mode. The caller may change the returned slice.
func All(inImageMode bool) []Phase {
	if inImageMode {
		return slices.Clone(imageMode)
	}
	return slices.Clone(standardMode)
}
