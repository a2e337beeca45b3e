package phases_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

func TestAllReturnsThePhasesOfOneModeInOrder(t *testing.T) {
	for _, inImageMode := range []bool{false, true} {
		all := phases.All(inImageMode)
		assert.LessOrEqual(t, len(all), 20, "the CRD allows 20 conditions")
		assert.Equal(t, !inImageMode, slices.Contains(all, phases.AppliedFilesAndOS))
		assert.Equal(t, inImageMode, slices.Contains(all, phases.AppliedFiles))
		assert.Less(t, slices.Index(all, phases.NodeDegraded), slices.Index(all, phases.Updated), "some clients show only the first condition that is True")
		kept := slices.Clone(all)
		clear(all)
		assert.Equal(t, kept, phases.All(inImageMode), "All must return a copy, which a caller may change")
	}
}

func TestAPhaseHasTheKindAndTheParentOfItsRow(t *testing.T) {
	for p, want := range map[phases.Phase]struct {
		kind   phases.Kind
		parent phases.Phase
	}{
		phases.UpdateExecuted: {phases.Parent, ""},
		phases.Drained:        {phases.Child, phases.UpdateExecuted},
		phases.Uncordoned:     {phases.Child, phases.UpdateComplete},
		phases.NodeDegraded:   {phases.Singleton, ""},
		"Drain":               {"", ""},
	} {
		parent, isChild := phases.ParentOf(p)
		assert.Equal(t, want.kind, phases.KindOf(p), p)
		assert.Equal(t, want.parent, parent, p)
		assert.Equal(t, want.parent != "", isChild, p)
	}
}
