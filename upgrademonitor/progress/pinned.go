package progress

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// pinnedImageSets returns the sets that have failed or are pulled. A condition that names no set
// stands for one without a name.
func pinnedImageSets(status *mcfgv1.MachineConfigNodeStatus) []PinnedImageSet {
	failing, failingSince := sinceTrue(status.Conditions, phases.PinnedImageSetsDegraded)
	pulling, pullingSince := sinceTrue(status.Conditions, phases.PinnedImageSetsProgressing)
	var failed, pulled []PinnedImageSet
	for _, s := range status.PinnedImageSets {
		switch isCurrent := s.DesiredGeneration > 0 && s.CurrentGeneration >= s.DesiredGeneration; {
		case s.LastFailedGeneration > 0 && (failing || !isCurrent):
			failed = append(failed, PinnedImageSet{Name: s.Name, Failed: true, Since: failingSince, Message: s.LastFailedGenerationError})
		case !isCurrent:
			pulled = append(pulled, PinnedImageSet{Name: s.Name, Since: pullingSince})
		}
	}
	if failing && len(failed) == 0 {
		failed = append(failed, PinnedImageSet{Failed: true, Since: failingSince, Message: messageOf(status.Conditions, phases.PinnedImageSetsDegraded)})
	}
	if pulling && len(failed)+len(pulled) == 0 {
		pulled = append(pulled, PinnedImageSet{Since: pullingSince})
	}
	return append(failed, pulled...)
}
