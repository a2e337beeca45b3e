// Package phasetable has the table of the phases of a node update, with one row for each phase. What depends on
// the kind, the parent or the mode of a phase reads this table: package phases, the state machine, the prefix of an
// update, the policy on transitions, the test kit, and the steps on the screen of kubectl mcn.
package phasetable

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// Phase is the Phase of package phases.
type Phase = mcfgv1.StateProgress

// The kinds of package phases.
const (
	Parent    = "Parent"
	Child     = "Child"
	Singleton = "Singleton"
)

// Mode says in which mode of a node a phase exists.
type Mode string

// The modes.
const (
	AnyMode      Mode = "any"
	StandardOnly Mode = "standard"
	ImageOnly    Mode = "image"
)

// Row describes a phase.
type Row struct {
	Phase  Phase
	Kind   string
	Parent Phase // of a Child
	Mode   Mode
	// OnlyInUpdate is set for a step that a daemon reports only during an update. It reports the other steps also
	// when it restarts.
	OnlyInUpdate bool
	// Doing is what a node does while the phase is Unknown, for example "draining". It is empty for a Singleton.
	Doing string
}

// rows is in the order in which the conditions are written. NodeDegraded precedes Updated: if both are True, some
// clients show only the first of them.
var rows = []Row{
	{mcfgv1.MachineConfigNodeUpdatePrepared, Parent, "", AnyMode, true, "preparing"},
	{mcfgv1.MachineConfigNodeUpdateExecuted, Parent, "", AnyMode, true, "executing the update"},
	{mcfgv1.MachineConfigNodeUpdateCordoned, Child, mcfgv1.MachineConfigNodeUpdateExecuted, AnyMode, true, "cordoning"},
	{mcfgv1.MachineConfigNodeUpdateDrained, Child, mcfgv1.MachineConfigNodeUpdateExecuted, AnyMode, true, "draining"},
	{mcfgv1.MachineConfigNodeUpdateFilesAndOS, Child, mcfgv1.MachineConfigNodeUpdateExecuted, StandardOnly, true, "applying files and OS"},
	{mcfgv1.MachineConfigNodeUpdateFiles, Child, mcfgv1.MachineConfigNodeUpdateExecuted, ImageOnly, true, "applying files"},
	{mcfgv1.MachineConfigNodeUpdateOS, Child, mcfgv1.MachineConfigNodeUpdateExecuted, ImageOnly, true, "applying the OS image"},
	{mcfgv1.MachineConfigNodeImagePulledFromRegistry, Child, mcfgv1.MachineConfigNodeUpdateExecuted, ImageOnly, true, "pulling the image"},
	{mcfgv1.MachineConfigNodeUpdatePostActionComplete, Parent, "", AnyMode, true, "running post-update actions"},
	{mcfgv1.MachineConfigNodeUpdateRebooted, Parent, "", AnyMode, true, "rebooting"},
	{mcfgv1.MachineConfigNodeResumed, Parent, "", AnyMode, false, "resuming"},
	{mcfgv1.MachineConfigNodeUpdateComplete, Parent, "", AnyMode, false, "completing the update"},
	{mcfgv1.MachineConfigNodeUpdateUncordoned, Child, mcfgv1.MachineConfigNodeUpdateComplete, AnyMode, false, "uncordoning"},
	{mcfgv1.MachineConfigNodeNodeDegraded, Singleton, "", AnyMode, false, ""},
	{mcfgv1.MachineConfigNodeUpdated, Parent, "", AnyMode, false, "completing the update"},
	{mcfgv1.MachineConfigNodePinnedImageSetsProgressing, Singleton, "", AnyMode, false, ""},
	{mcfgv1.MachineConfigNodePinnedImageSetsDegraded, Singleton, "", AnyMode, false, ""},
}

// table has the rows, and what follows from them.
type table struct {
	rows                  []Row
	of                    map[Phase]Row
	both, standard, image []Phase
}

var current = newTable(rows)

func newTable(rows []Row) table {
	t := table{rows: rows, of: make(map[Phase]Row, len(rows))}
	for _, r := range rows {
		t.of[r.Phase] = r
		t.both = append(t.both, r.Phase)
		if r.Mode != ImageOnly {
			t.standard = append(t.standard, r.Phase)
		}
		if r.Mode != StandardOnly {
			t.image = append(t.image, r.Phase)
		}
	}
	return t
}

// Insert adds a row to the table before the row of a phase, until the end of a test. The test must not run in
// parallel with others.
func Insert(t interface{ Cleanup(func()) }, before Phase, row Row) {
	kept := current
	t.Cleanup(func() { current = kept })
	at := slices.IndexFunc(kept.rows, func(r Row) bool { return r.Phase == before })
	current = newTable(slices.Insert(slices.Clone(kept.rows), at, row))
}

// Of returns the row of a phase. It is zero if p is not a phase.
func Of(p Phase) Row { return current.of[p] }

// Both returns the phases of both modes. The caller must not change the list.
func Both() []Phase { return current.both }

// In returns the phases of a mode. The caller must not change the list.
func In(inImageMode bool) []Phase {
	if inImageMode {
		return current.image
	}
	return current.standard
}

// OnlyIn returns the phases that exist in one mode only.
func OnlyIn(inImageMode bool) []Phase {
	return slices.DeleteFunc(slices.Clone(In(inImageMode)), func(p Phase) bool { return ExistsIn(p, !inImageMode) })
}

// ExistsIn reports whether a phase exists in image mode or, if inImageMode is false, in standard mode.
func ExistsIn(p Phase, inImageMode bool) bool { return slices.Contains(In(inImageMode), p) }

// IsStep reports whether a phase is a step of an update: a Parent or a Child, but not Updated.
func IsStep(p Phase) bool {
	kind := Of(p).Kind
	return kind == Child || kind == Parent && p != mcfgv1.MachineConfigNodeUpdated
}

// RunsOnlyInUpdate reports whether a phase is a step that a daemon reports only during an update.
func RunsOnlyInUpdate(p Phase) bool { return Of(p).OnlyInUpdate }

// Leaves returns the steps of a mode that have no children. A step with children runs as long as they do, so
// kubectl mcn shows only its children.
func Leaves(inImageMode bool) []Phase {
	hasChild := func(parent Phase) bool {
		return slices.ContainsFunc(current.rows, func(r Row) bool { return r.Parent == parent })
	}
	return slices.DeleteFunc(slices.Clone(In(inImageMode)), func(p Phase) bool { return !IsStep(p) || hasChild(p) })
}
