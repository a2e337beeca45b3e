package phases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

const unknownPhase phases.Phase = "InternalReleaseImageDegraded"

// want lists the properties of every phase, independently of the table of the package.
var want = []struct {
	phase        phases.Phase
	name         string
	kind         phases.Kind
	parent       phases.Phase
	standard     bool
	image        bool
	ofCycle      bool
	onlyInUpdate bool
}{
	{phases.UpdatePrepared, "UpdatePrepared", phases.Parent, "", true, true, true, true},
	{phases.UpdateExecuted, "UpdateExecuted", phases.Parent, "", true, true, true, true},
	{phases.Cordoned, "Cordoned", phases.Child, "UpdateExecuted", true, true, true, true},
	{phases.Drained, "Drained", phases.Child, "UpdateExecuted", true, true, true, true},
	{phases.AppliedFilesAndOS, "AppliedFilesAndOS", phases.Child, "UpdateExecuted", true, false, true, true},
	{phases.AppliedFiles, "AppliedFiles", phases.Child, "UpdateExecuted", false, true, true, true},
	{phases.AppliedOSImage, "AppliedOSImage", phases.Child, "UpdateExecuted", false, true, true, true},
	{phases.ImagePulledFromRegistry, "ImagePulledFromRegistry", phases.Child, "UpdateExecuted", false, true, true, true},
	{phases.UpdatePostActionComplete, "UpdatePostActionComplete", phases.Parent, "", true, true, true, true},
	{phases.RebootedNode, "RebootedNode", phases.Parent, "", true, true, true, true},
	{phases.Resumed, "Resumed", phases.Parent, "", true, true, true, false},
	{phases.UpdateComplete, "UpdateComplete", phases.Parent, "", true, true, true, false},
	{phases.Uncordoned, "Uncordoned", phases.Child, "UpdateComplete", true, true, true, false},
	{phases.NodeDegraded, "NodeDegraded", phases.Singleton, "", true, true, false, false},
	{phases.Updated, "Updated", phases.Parent, "", true, true, false, false},
	{phases.PinnedImageSetsProgressing, "PinnedImageSetsProgressing", phases.Singleton, "", true, true, false, false},
	{phases.PinnedImageSetsDegraded, "PinnedImageSetsDegraded", phases.Singleton, "", true, true, false, false},
}

func TestPhasesHaveTheirKindParentAndMode(t *testing.T) {
	for _, w := range want {
		t.Run(w.name, func(t *testing.T) {
			parent, hasParent := phases.ParentOf(w.phase)

			assert.Equal(t, w.name, string(w.phase))
			assert.Equal(t, w.kind, phases.KindOf(w.phase))
			assert.Equal(t, w.parent, parent)
			assert.Equal(t, w.kind == phases.Child, hasParent, "every child has a parent, and nothing else has")
			assert.Equal(t, w.standard, phases.ExistsIn(w.phase, false), "in standard mode")
			assert.Equal(t, w.image, phases.ExistsIn(w.phase, true), "in image mode")
			assert.Equal(t, w.ofCycle, phases.IsUpdateStep(w.phase))
			assert.Equal(t, w.onlyInUpdate, phases.StartsUpdate(w.phase))
		})
	}
}

func TestAll(t *testing.T) {
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
		assert.Equal(t, names, phases.All(imageMode), "a caller may change the list")
	}
}
