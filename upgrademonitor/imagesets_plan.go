package upgrademonitor

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// plan returns the write that makes conditions and list what was reported, after one that
// takes from the list what was made anew.
func (r *imageSets) plan(s state) ([]write, error) {
	var writes []write
	if kept := r.without(s.object.Status.PinnedImageSets); len(kept) < len(s.object.Status.PinnedImageSets) {
		status := r.followed(s, s.object.Status.Conditions)
		status.Conditions = conditions.Complete(status.Conditions, r.imageMode, r.Time)
		status.PinnedImageSets = kept
		next := s.withStatus(status)
		writes = append(writes, writeStatus(s, next))
		s = next
	}
	list, err := r.conditions(s.object.Status)
	if err != nil {
		return nil, err
	}
	status := r.followed(s, list)
	status.Conditions, status.PinnedImageSets = list, r.list(s.object.Status.PinnedImageSets)
	if len(writes) == 0 && conditions.Same(s.object.Status.Conditions, list) &&
		sameImageSets(s.object.Status.PinnedImageSets, status.PinnedImageSets) && r.following(s, list) {
		return nil, nil
	}
	return append(writes, writeStatus(s, s.withStatus(status))), nil
}

// without returns the sets of the status less those that were made anew since.
func (r *imageSets) without(before []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	var kept []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, set := range before {
		anew := false
		for _, reported := range r.sets {
			anew = anew || reported.Name == set.Name && reported.Generation < int64(max(set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration))
		}
		if !anew {
			kept = append(kept, set)
		}
	}
	return kept
}

// list returns the sets of the status as they are reported.
func (r *imageSets) list(before []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	var list []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, reported := range r.sets {
		set := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: reported.Name}
		if was := imageSet(before, reported.Name); was != nil {
			set = *was
		}
		generation := int32(reported.Generation) //nolint:gosec // checked when it was accepted
		set.DesiredGeneration = generation
		switch {
		case reported.Err != nil:
			set.LastFailedGeneration = generation
			set.LastFailedGenerationError = conditions.Cut(errorText(reported.Err))
		case reported.Done:
			set.CurrentGeneration = generation
			set.LastFailedGeneration, set.LastFailedGenerationError = 0, ""
		}
		list = append(list, set)
	}
	return list
}

// errorText is never empty: a failure has to have a text.
func errorText(err error) string {
	if text := err.Error(); text != "" {
		return text
	}
	return "unknown error"
}

// conditions returns the list of conditions with both of the image sets' moved.
func (r *imageSets) conditions(before mcfgv1.MachineConfigNodeStatus) ([]metav1.Condition, error) {
	done, failed, failing := true, false, false
	for i, set := range r.list(before.PinnedImageSets) {
		done = done && r.sets[i].Done && r.sets[i].Err == nil
		failed = failed || r.sets[i].Err != nil
		failing = failing || set.LastFailedGeneration > 0
	}
	progressing, degraded := r.Report, r.Report
	progressing.Phase, degraded.Phase = phases.PinnedImageSetsProgressing, phases.PinnedImageSetsDegraded
	say(&progressing, metav1.ConditionTrue, "ImagePrefetch", "node is prefetching images: "+r.nodeName)
	if done {
		say(&progressing, metav1.ConditionFalse, "AsExpected", "All pinned image sets complete")
	}
	say(&degraded, metav1.ConditionFalse, "AsExpected", "All is good")
	if failed || failing {
		say(&degraded, metav1.ConditionTrue, "PrefetchFailed", "One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.")
	}

	list := conditions.Complete(before.Conditions, r.imageMode, r.Time)
	for _, said := range []conditions.Report{progressing, degraded} {
		writes, err := conditions.Next(list, r.imageMode, said)
		if err != nil {
			return nil, err
		}
		if len(writes) > 0 {
			list = writes[len(writes)-1]
		}
	}
	return list, nil
}

func say(r *conditions.Report, status metav1.ConditionStatus, reason, message string) {
	r.Status, r.Reason, r.Message = status, reason, message
}

func imageSet(list []mcfgv1.MachineConfigNodeStatusPinnedImageSet, name string) *mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// sameImageSets compares without regard to order.
func sameImageSets(a, b []mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
	if len(a) != len(b) {
		return false
	}
	for _, set := range a {
		if other := imageSet(b, set.Name); other == nil || *other != set {
			return false
		}
	}
	return true
}
