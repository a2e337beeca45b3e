package planner

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// ImageSets is the report of all pinned image sets. It is immutable.
type ImageSets struct {
	Sets    []ImageSet
	Failure string // an error that does not belong to one of the sets, or ""
}

// ImageSet is the report on one pinned image set.
type ImageSet struct {
	Name       string
	Generation int32
	Done       bool   // all images of this generation are pulled
	Failure    string // the error message, or "" if the set has no error
}

type statusSet = mcfgv1.MachineConfigNodeStatusPinnedImageSet

// planSets returns one write with the conditions and the image sets. If a set was deleted and created
// again, its generation starts from 1. Then another write comes first, which removes the set from the
// status, because the API server rejects a lower generation.
func (c Change) planSets(s State) Write {
	next := s.withVersions(c.Node, false, s.isTrue(phases.Updated))
	next.Status.PinnedImageSets = nil
	for _, known := range s.Status.PinnedImageSets {
		if !c.Sets.recreates(known) {
			next.Status.PinnedImageSets = append(next.Status.PinnedImageSets, known)
		}
	}
	if len(next.Status.PinnedImageSets) < len(s.Status.PinnedImageSets) {
		return Write{Next: next}
	}
	sets := c.Sets.merge(s.Status.PinnedImageSets)
	next.Status.PinnedImageSets = sets
	next.Status.Conditions = c.setConditions(s.Status.Conditions, sets)
	return Write{Next: next, Done: true}
}

// recreates reports whether the report has a lower generation of a set than the status.
func (r *ImageSets) recreates(known statusSet) bool {
	generation := max(known.DesiredGeneration, known.CurrentGeneration, known.LastFailedGeneration)
	return slices.ContainsFunc(r.Sets, func(reported ImageSet) bool {
		return reported.Name == known.Name && reported.Generation < generation
	})
}

// merge returns the image sets for the status. The last error of a set stays until the set is done.
func (r *ImageSets) merge(before []statusSet) []statusSet {
	var list []statusSet
	for _, reported := range r.Sets {
		set := statusSet{Name: reported.Name}
		if i := slices.IndexFunc(before, func(known statusSet) bool { return known.Name == reported.Name }); i >= 0 {
			set = before[i]
		}
		set.DesiredGeneration = reported.Generation
		switch {
		case reported.Failure != "":
			set.LastFailedGeneration = reported.Generation
			set.LastFailedGenerationError = reported.Failure
		case reported.Done:
			set.CurrentGeneration = reported.Generation
			set.LastFailedGeneration = 0
			set.LastFailedGenerationError = ""
		}
		list = append(list, set)
	}
	slices.SortFunc(list, func(a, b statusSet) int { // the order of the sets has no meaning
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}

// setConditions returns the list with new values of the two conditions about image sets. After a failure,
// Progressing does not turn False before a report without a failure.
func (c Change) setConditions(list []metav1.Condition, sets []statusSet) []metav1.Condition {
	failure := c.Sets.Failure
	isProgressing := slices.ContainsFunc(c.Sets.Sets, func(set ImageSet) bool { return !set.Done }) ||
		failure != "" && conditions.StatusOf(list, phases.PinnedImageSetsProgressing) == metav1.ConditionTrue
	hasFailed := failure != "" || slices.ContainsFunc(sets, func(set statusSet) bool { return set.LastFailedGeneration > 0 })
	failedMessage := "One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details."
	if failure != "" {
		failedMessage += " Error: " + failure
	}
	report := func(p phases.Phase, isTrue bool, yes, yesMessage, noMessage string) {
		r := transitions.Report{Phase: p, Status: metav1.ConditionFalse, Reason: "AsExpected", Message: noMessage, Time: c.Time}
		if isTrue {
			r.Status, r.Reason, r.Message = metav1.ConditionTrue, yes, yesMessage
		}
		next, _, _ := transitions.Next(list, c.Node.Mode == Image, r, transitions.Update{}) // a singleton can change to any status
		if next != nil {
			list = next
		}
	}
	report(phases.PinnedImageSetsProgressing, isProgressing, "ImagePrefetch",
		"node is prefetching images: "+c.Node.Owner.Name, "All pinned image sets complete")
	report(phases.PinnedImageSetsDegraded, hasFailed, "PrefetchFailed", failedMessage, "All is good")
	return list
}
