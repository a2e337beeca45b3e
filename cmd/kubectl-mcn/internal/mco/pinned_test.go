package mco_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

func TestPinnedImageSetsAreListedUntilTheyAreComplete(t *testing.T) {
	set := func(current, desired, failed int32) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) {
			s := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: "pinned", CurrentGeneration: current, DesiredGeneration: desired, LastFailedGeneration: failed}
			if failed > 0 {
				s.LastFailedGenerationError = "no space left on device"
			}
			m.Status.PinnedImageSets = append(m.Status.PinnedImageSets, s)
		}
	}
	const requeue = "Requeue: prefetching images incomplete after timeout: 5m0s"
	requeued := func(m *mcfgv1.MachineConfigNode) { m.Status.PinnedImageSets[0].LastFailedGenerationError = requeue }
	noText := func(m *mcfgv1.MachineConfigNode) { m.Status.PinnedImageSets[0].LastFailedGenerationError = "" }
	pulling := is(phases.PinnedImageSetsProgressing, yes, 3)
	failing := is(phases.PinnedImageSetsDegraded, yes, 4, "One or more failed")
	failed := mco.PinnedImageSet{Name: "pinned", Failed: true, Since: at(4), Message: "no space left on device"}
	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		want   []mco.PinnedImageSet
	}{
		"not started":                                                    {mcn(set(0, 0, 0)), []mco.PinnedImageSet{{Name: "pinned"}}},
		"complete, an earlier generation failed":                         {mcn(set(2, 2, 1)), nil},
		"complete, the same generation failed once":                      {mcn(set(2, 2, 2)), nil},
		"failed, and the set has no message":                             {mcn(set(0, 1, 1), failing, noText), []mco.PinnedImageSet{{Name: "pinned", Failed: true, Since: at(4), Message: "One or more failed"}}},
		"failed again":                                                   {mcn(set(2, 2, 2), failing), []mco.PinnedImageSet{failed}},
		"one set is complete, another failed":                            {mcn(set(2, 2, 1), set(0, 1, 1), failing), []mco.PinnedImageSet{failed}},
		"an earlier generation failed, the desired generation is pulled": {mcn(set(1, 2, 1), pulling), []mco.PinnedImageSet{{Name: "pinned", Since: at(3)}}},
		"an earlier generation failed, and the condition is still True":  {mcn(set(0, 2, 1), failing), []mco.PinnedImageSet{failed}},
		"failed, the condition is not True yet":                          {mcn(set(0, 1, 1)), []mco.PinnedImageSet{{Name: "pinned", Failed: true, Message: "no space left on device"}}},
		"one set is retried, another failed":                             {mcn(set(0, 1, 1), requeued, set(0, 1, 1), pulling, failing), []mco.PinnedImageSet{failed, {Name: "pinned", Since: at(3), Message: requeue}}},
		"only the condition says that the daemon retries":                {mcn(set(0, 1, 1), noText, pulling, is(phases.PinnedImageSetsDegraded, yes, 4, requeue)), []mco.PinnedImageSet{{Name: "pinned", Since: at(3), Message: requeue}}},
		"a complete set beside the retries":                              {mcn(set(0, 1, 1), requeued, set(1, 1, 0), is(phases.PinnedImageSetsDegraded, yes, 4, requeue)), []mco.PinnedImageSet{{Name: "pinned", Since: at(4), Message: requeue}}},
		"one set failed, another is pulled":                              {mcn(set(1, 2, 0), set(0, 1, 1), pulling, failing), []mco.PinnedImageSet{failed, {Name: "pinned", Since: at(3)}}},
		"PinnedImageSetsDegraded is True, and no set is listed":          {mcn(failing), []mco.PinnedImageSet{{Failed: true, Since: at(4), Message: "One or more failed"}}},
		"PinnedImageSetsProgressing is True, and no set is listed":       {mcn(pulling), []mco.PinnedImageSet{{Since: at(3)}}},
	} {
		n := mco.Of(nil, tc.object)
		assert.Equal(t, tc.want, n.PinnedImageSets, name)
	}
}
