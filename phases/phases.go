package phases

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// Phase is a phase of a node update, or a singleton beside it: the type of one
// condition of a MachineConfigNode. It is an alias, so that the constants of
// openshift/api can be used as they are.
type Phase = mcfgv1.StateProgress

// The phases, by the names under which the conditions appear.
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

// Kind says what part a phase has in an update.
type Kind string

const (
	// Parent phases are the arc of an update, Updated (the cycle itself) among them.
	Parent Kind = "Parent"
	// Child phases are steps inside a parent, and move it.
	Child Kind = "Child"
	// Singleton conditions take no part in the cycle and move freely.
	Singleton Kind = "Singleton"
)

// mode says in which mode of updates a phase exists.
type mode string

const (
	both     mode = "both"
	standard mode = "standard"
	image    mode = "image"
)

// origin says who enters a phase.
type origin string

const (
	update  origin = "update"  // nothing but an update
	restart origin = "restart" // an update, and a daemon that restarts
	apart   origin = "apart"   // no step of an update
)

// row is what is known of one phase.
type row struct {
	phase  Phase
	kind   Kind
	parent Phase
	mode   mode
	origin origin
}

// table holds every phase in the order in which the conditions are written.
// NodeDegraded comes before Updated, because there are readers that take the first
// of the two that is True.
var table = []row{
	{UpdatePrepared, Parent, "", both, update},
	{UpdateExecuted, Parent, "", both, update},
	{Cordoned, Child, UpdateExecuted, both, update},
	{Drained, Child, UpdateExecuted, both, update},
	{AppliedFilesAndOS, Child, UpdateExecuted, standard, update},
	{AppliedFiles, Child, UpdateExecuted, image, update},
	{AppliedOSImage, Child, UpdateExecuted, image, update},
	{ImagePulledFromRegistry, Child, UpdateExecuted, image, update},
	{UpdatePostActionComplete, Parent, "", both, update},
	{RebootedNode, Parent, "", both, update},
	{Resumed, Parent, "", both, restart},
	{UpdateComplete, Parent, "", both, restart},
	{Uncordoned, Child, UpdateComplete, both, restart},
	{NodeDegraded, Singleton, "", both, apart},
	{Updated, Parent, "", both, apart},
	{PinnedImageSetsProgressing, Singleton, "", both, apart},
	{PinnedImageSetsDegraded, Singleton, "", both, apart},
}

var (
	rows         = byPhase(table)
	standardMode = ofMode(table, standard)
	imageMode    = ofMode(table, image)
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
		if r.mode == both || r.mode == m {
			ps = append(ps, r.phase)
		}
	}
	return ps
}

// KindOf returns the kind of a phase, "" for one that is unknown.
func KindOf(p Phase) Kind {
	return rows[p].kind
}

// ParentOf returns the parent that a child phase moves, and whether it has one.
func ParentOf(p Phase) (Phase, bool) {
	parent := rows[p].parent
	return parent, parent != ""
}

// All returns every condition of the mode, in the order in which they are written.
// The mode is image mode where the feature gate ImageModeStatusReporting is on, else
// standard mode. The slice is the caller's own.
func All(inImageMode bool) []Phase {
	if inImageMode {
		return slices.Clone(imageMode)
	}
	return slices.Clone(standardMode)
}

// In reports whether the phase exists in the mode. It is false for an unknown phase.
func In(p Phase, inImageMode bool) bool {
	r, ok := rows[p]
	if !ok || r.mode == both {
		return ok
	}
	return inImageMode == (r.mode == image)
}

// OfCycle reports whether the phase is a step of an update: every Parent and Child but
// Updated, which is the cycle itself.
func OfCycle(p Phase) bool {
	r, ok := rows[p]
	return ok && r.origin != apart
}

// OnlyInUpdate reports whether nothing but an update enters the phase: UpdatePrepared
// to RebootedNode, with their children. The others, Resumed, UpdateComplete and
// Uncordoned, are also reported by a daemon that restarts.
func OnlyInUpdate(p Phase) bool {
	return rows[p].origin == update
}
