package phases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

// want repeats the table of the package, so that a change of the table needs a change of this test.
var want = []struct {
	phase    phases.Phase
	name     string
	kind     phases.Kind
	parent   phases.Phase
	standard bool
	image    bool
}{
	{phases.UpdatePrepared, "UpdatePrepared", phases.Parent, "", true, true},
	{phases.UpdateExecuted, "UpdateExecuted", phases.Parent, "", true, true},
	{phases.Cordoned, "Cordoned", phases.Child, "UpdateExecuted", true, true},
	{phases.Drained, "Drained", phases.Child, "UpdateExecuted", true, true},
	{phases.AppliedFilesAndOS, "AppliedFilesAndOS", phases.Child, "UpdateExecuted", true, false},
	{phases.AppliedFiles, "AppliedFiles", phases.Child, "UpdateExecuted", false, true},
	{phases.AppliedOSImage, "AppliedOSImage", phases.Child, "UpdateExecuted", false, true},
	{phases.ImagePulledFromRegistry, "ImagePulledFromRegistry", phases.Child, "UpdateExecuted", false, true},
	{phases.UpdatePostActionComplete, "UpdatePostActionComplete", phases.Parent, "", true, true},
	{phases.RebootedNode, "RebootedNode", phases.Parent, "", true, true},
	{phases.Resumed, "Resumed", phases.Parent, "", true, true},
	{phases.UpdateComplete, "UpdateComplete", phases.Parent, "", true, true},
	{phases.Uncordoned, "Uncordoned", phases.Child, "UpdateComplete", true, true},
	{phases.NodeDegraded, "NodeDegraded", phases.Singleton, "", true, true},
	{phases.Updated, "Updated", phases.Parent, "", true, true},
	{phases.PinnedImageSetsProgressing, "PinnedImageSetsProgressing", phases.Singleton, "", true, true},
	{phases.PinnedImageSetsDegraded, "PinnedImageSetsDegraded", phases.Singleton, "", true, true},
}

func TestPhasesHaveTheirKindAndParent(t *testing.T) {
	for _, w := range want {
		t.Run(w.name, func(t *testing.T) {
			parent, hasParent := phases.ParentOf(w.phase)

			assert.Equal(t, w.name, string(w.phase))
			assert.Equal(t, w.kind, phases.KindOf(w.phase))
			assert.Equal(t, w.parent, parent)
			assert.Equal(t, w.kind == phases.Child, hasParent, "a child has a parent, and no other phase has one")
		})
	}
}

func TestAllReturnsThePhasesOfTheModeInOrder(t *testing.T) {
	for _, imageMode := range []bool{false, true} {
		var names []phases.Phase
		for _, w := range want {
			if w.standard && !imageMode || w.image && imageMode {
				names = append(names, w.phase)
			}
		}
		all := phases.All(imageMode)
		assert.Equal(t, names, all)
		assert.LessOrEqual(t, len(all), 20, "the CRD allows 20 conditions")
		clear(all)
		assert.Equal(t, names, phases.All(imageMode), "All must return a copy, which a caller may change")
	}
}
