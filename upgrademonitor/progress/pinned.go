package progress

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// pinnedImageSets returns the sets that have failed or are pulled. A condition that names no set
// stands for one without a name.
func pinnedImageSets(status *mcfgv1.MachineConfigNodeStatus) []PinnedImageSet {
	failing := isTrue(status.Conditions, phases.PinnedImageSetsDegraded)
	pulling := isTrue(status.Conditions, phases.PinnedImageSetsProgressing)
	var failed, pulled []PinnedImageSet
	for _, s := range status.PinnedImageSets {
		switch isCurrent := s.CurrentGeneration >= s.DesiredGeneration; {
		case s.LastFailedGeneration > 0 && (failing || !isCurrent):
			failed = append(failed, PinnedImageSet{
				Name: s.Name, Failed: true, Message: s.LastFailedGenerationError,
				Since: timeIf(failing, status.Conditions, phases.PinnedImageSetsDegraded),
			})
		case !isCurrent:
			pulled = append(pulled, PinnedImageSet{
				Name: s.Name, Since: timeIf(pulling, status.Conditions, phases.PinnedImageSetsProgressing),
			})
		}
	}
	if failing && len(failed) == 0 {
		failed = append(failed, PinnedImageSet{
			Failed: true, Since: timeOf(status.Conditions, phases.PinnedImageSetsDegraded),
			Message: messageOf(status.Conditions, phases.PinnedImageSetsDegraded),
		})
	}
	if pulling && len(failed)+len(pulled) == 0 {
		pulled = append(pulled, PinnedImageSet{Since: timeOf(status.Conditions, phases.PinnedImageSetsProgressing)})
	}
	return append(failed, pulled...)
}

func isTrue(list []metav1.Condition, p phases.Phase) bool {
	return conditions.StatusOf(list, p) == metav1.ConditionTrue
}

func timeIf(known bool, list []metav1.Condition, p phases.Phase) time.Time {
	if !known {
		return time.Time{}
	}
	return timeOf(list, p)
}
