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

// runs says when a phase runs.
type runs string

const (
	inUpdate  runs = "inUpdate"  // only during an update
	atRestart runs = "atRestart" // during an update, and when a daemon restarts
	noStep    runs = ""          // not a step of an update
)

type row struct {
	phase  Phase
	kind   Kind
	parent Phase
	mode   mode
	runs   runs
}

// table has a row for each phase, in the order in which the conditions are written. NodeDegraded
// precedes Updated: if both are True, some clients show only the first of them.
var table = []row{
	{UpdatePrepared, Parent, "", anyMode, inUpdate},
	{UpdateExecuted, Parent, "", anyMode, inUpdate},
	{Cordoned, Child, UpdateExecuted, anyMode, inUpdate},
	{Drained, Child, UpdateExecuted, anyMode, inUpdate},
	{AppliedFilesAndOS, Child, UpdateExecuted, standardOnly, inUpdate},
	{AppliedFiles, Child, UpdateExecuted, imageOnly, inUpdate},
	{AppliedOSImage, Child, UpdateExecuted, imageOnly, inUpdate},
	{ImagePulledFromRegistry, Child, UpdateExecuted, imageOnly, inUpdate},
	{UpdatePostActionComplete, Parent, "", anyMode, inUpdate},
	{RebootedNode, Parent, "", anyMode, inUpdate},
	{Resumed, Parent, "", anyMode, atRestart},
	{UpdateComplete, Parent, "", anyMode, atRestart},
	{Uncordoned, Child, UpdateComplete, anyMode, atRestart},
	{NodeDegraded, Singleton, "", anyMode, noStep},
	{Updated, Parent, "", anyMode, noStep},
	{PinnedImageSetsProgressing, Singleton, "", anyMode, noStep},
	{PinnedImageSetsDegraded, Singleton, "", anyMode, noStep},
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

// ExistsIn reports whether a phase exists in image mode or, if inImageMode is false, in standard
// mode. It returns false if p is not a phase.
func ExistsIn(p Phase, inImageMode bool) bool {
	r, ok := rows[p]
	if !ok || r.mode == anyMode {
		return ok
	}
	return inImageMode == (r.mode == imageOnly)
}

// IsUpdateStep reports whether a phase is a step of an update: a Parent or a Child, but not Updated.
func IsUpdateStep(p Phase) bool {
	return rows[p].runs != noStep
}

// StartsUpdate reports whether a phase runs only during an update: UpdatePrepared to RebootedNode, and
// their children. If no update is running, a report of Unknown or True for such a phase starts an
// update. Resumed, UpdateComplete and Uncordoned start no update, because a daemon also reports
// them when it restarts.
func StartsUpdate(p Phase) bool {
	return rows[p].runs == inUpdate
}
