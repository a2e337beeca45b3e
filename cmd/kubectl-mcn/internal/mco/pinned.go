package mco

import (
	"cmp"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// PinnedImageSet is a pinned image set that has failed, or is being pulled, on a node.
type PinnedImageSet struct {
	Name    string    `json:"name,omitempty"`    // "" if the MachineConfigNode does not name the set
	Failed  bool      `json:"failed"`            // false if the set is being pulled
	Since   time.Time `json:"since,omitzero"`    // the time when PinnedImageSetsDegraded or PinnedImageSetsProgressing became True
	Message string    `json:"message,omitempty"` // the error of the last attempt, or ""
}

// pinnedImageSets returns the value of Node.PinnedImageSets. If PinnedImageSetsDegraded or
// PinnedImageSetsProgressing is True, but the status has no set that has failed or is being pulled,
// the result has a set without a name.
func pinnedImageSets(status *mcfgv1.MachineConfigNodeStatus) []PinnedImageSet {
	failing, failingSince := sinceTrue(status.Conditions, phases.PinnedImageSetsDegraded)
	why := messageOf(status.Conditions, phases.PinnedImageSetsDegraded)
	pulling, pullingSince := sinceTrue(status.Conditions, phases.PinnedImageSetsProgressing)
	var failed, pulled []PinnedImageSet
	isRetried := false
	for i := range status.PinnedImageSets {
		s := &status.PinnedImageSets[i]
		isCurrent := s.DesiredGeneration > 0 && s.CurrentGeneration >= s.DesiredGeneration
		hasFailed := lastAttemptFailed(s, isCurrent, failing)
		cause := cmp.Or(s.LastFailedGenerationError, why)
		switch {
		case hasFailed && requeued.MatchString(cause):
			pulled = append(pulled, PinnedImageSet{Name: s.Name, Since: cmp.Or(pullingSince, failingSince), Message: cause})
			isRetried = true
		case hasFailed:
			failed = append(failed, PinnedImageSet{Name: s.Name, Failed: true, Since: failingSince, Message: cause})
		case !isCurrent:
			pulled = append(pulled, PinnedImageSet{Name: s.Name, Since: pullingSince})
		}
	}
	if failing && len(failed) == 0 && !isRetried {
		failed = append(failed, PinnedImageSet{Failed: true, Since: failingSince, Message: why})
	}
	if pulling && len(failed)+len(pulled) == 0 {
		pulled = append(pulled, PinnedImageSet{Since: pullingSince})
	}
	return append(failed, pulled...)
}

// lastAttemptFailed reports whether the last attempt to pull a set failed. isCurrent says whether all images
// of the set are pulled, and failing whether PinnedImageSetsDegraded is True. An error of an earlier
// generation counts only if failing is true and isCurrent is false.
func lastAttemptFailed(s *mcfgv1.MachineConfigNodeStatusPinnedImageSet, isCurrent, failing bool) bool {
	if failing && !isCurrent {
		return s.LastFailedGeneration > 0
	}
	return s.LastFailedGeneration >= max(1, s.DesiredGeneration) && (failing || !isCurrent)
}
