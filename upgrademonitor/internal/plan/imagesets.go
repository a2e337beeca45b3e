package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// statusSet is an image set in the status of the object.
type statusSet = mcfgv1.MachineConfigNodeStatusPinnedImageSet

// ImageSetsChange sets the list of pinned image sets, and the two conditions about them.
type ImageSetsChange struct {
	Sets   []ImageSet
	Failed bool // set if there is an error that does not belong to one of the sets
	Node   Node
	Time   metav1.Time
}

// ImageSet is the report on one pinned image set.
type ImageSet struct {
	Name       string
	Generation int32
	Done       bool   // all images of this generation are pulled
	Failure    string // the error message, or "" if the set has no error
}

var _ Change = ImageSetsChange{}

// String returns the name of the change in errors and logs.
func (ImageSetsChange) String() string { return "report of pinned image sets" }

// View returns the Node that the report is based on.
func (c ImageSetsChange) View() Node { return c.Node }

// At returns a copy of the report with another Node.
func (c ImageSetsChange) At(n Node) Change {
	c.Node = n
	return c
}

// Accepted returns the time of the report.
func (c ImageSetsChange) Accepted() metav1.Time { return c.Time }

// Replace returns the newer report, with the time of this report. It returns false if the newer change
// is not about image sets.
func (c ImageSetsChange) Replace(newer Change) (Change, bool) {
	other, ok := newer.(ImageSetsChange)
	other.Time = c.Time
	return other, ok
}

// Absorb returns the newer report, with the time of this report. It returns false if the reports differ
// in anything but the time and the error messages.
func (c ImageSetsChange) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(ImageSetsChange)
	if !ok {
		return c, false
	}
	isEqual := other.Failed == c.Failed && other.Node == c.Node && slices.EqualFunc(c.Sets, other.Sets, isSameSet)
	other.Time = c.Time
	return other, isEqual
}

// isSameSet reports whether two sets differ only in their error messages.
func isSameSet(a, b ImageSet) bool {
	if (a.Failure == "") != (b.Failure == "") {
		return false
	}
	a.Failure = b.Failure
	return a == b
}

// Plan returns one write with the conditions and the image sets. If a set was deleted and created
// again, its generation starts from 1. Then another write comes first, which removes the set from the
// status, because the API server rejects a lower generation.
func (c ImageSetsChange) Plan(s State) (Writes, error) {
	var w Writes
	s = s.Pin()
	imageMode := c.Node.Mode.IsImage(s.Status.Conditions)
	kept := slices.DeleteFunc(slices.Clone(s.Status.PinnedImageSets), c.recreated)
	if len(kept) < len(s.Status.PinnedImageSets) {
		next := s
		next.Status.PinnedImageSets = kept
		s = w.add(s, next, c.Node)
	}
	sets := c.sets(s.Status.PinnedImageSets)
	next := s.withConditions(c.conditions(s.Status.Conditions, imageMode, sets), c.Node, false)
	next.Status.PinnedImageSets = sets
	w.add(s, next, c.Node)
	return w, nil
}

// recreated reports whether the report has a lower generation of a set than the status.
func (c ImageSetsChange) recreated(set statusSet) bool {
	known := max(set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration)
	return slices.ContainsFunc(c.Sets, func(reported ImageSet) bool {
		return reported.Name == set.Name && reported.Generation < known
	})
}

// sets returns the image sets for the status. The last error of a set stays until the set is done.
func (c ImageSetsChange) sets(before []statusSet) []statusSet {
	var list []statusSet
	for _, reported := range c.Sets {
		set := statusSet{Name: reported.Name}
		if known := findImageSet(before, reported.Name); known != nil {
			set = *known
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
	return list
}

// conditions returns the list with new values of the two conditions about image sets.
func (c ImageSetsChange) conditions(list []metav1.Condition, imageMode bool, sets []statusSet) []metav1.Condition {
	done, failed := true, c.Failed
	for i, set := range sets {
		done = done && c.Sets[i].Done
		failed = failed || set.LastFailedGeneration > 0
	}
	progressing := conditions.Report{
		Phase:   phases.PinnedImageSetsProgressing,
		Status:  metav1.ConditionFalse,
		Reason:  "AsExpected",
		Message: "All pinned image sets complete",
	}
	if !done {
		progressing.Status = metav1.ConditionTrue
		progressing.Reason = "ImagePrefetch"
		progressing.Message = "node is prefetching images: " + c.Node.Owner.Name
	}
	degraded := conditions.Report{
		Phase:   phases.PinnedImageSetsDegraded,
		Status:  metav1.ConditionFalse,
		Reason:  "AsExpected",
		Message: "All is good",
	}
	if failed {
		degraded.Status = metav1.ConditionTrue
		degraded.Reason = "PrefetchFailed"
		degraded.Message = "One or more PinnedImageSet is experiencing an error. " +
			"See PinnedImageSet list for more details."
	}
	for _, report := range []conditions.Report{progressing, degraded} {
		report.Time = c.Time
		lists, _ := conditions.Next(list, imageMode, report, conditions.Cycle{}) // a singleton can change to any status
		if len(lists) > 0 {
			list = lists[len(lists)-1]
		}
	}
	return list
}
