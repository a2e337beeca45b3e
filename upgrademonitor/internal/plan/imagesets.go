package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// ImageSetsChange sets the list of pinned image sets, and the two conditions about them.
type ImageSetsChange struct {
	Sets   []ImageSet
	Failed bool // set if there is an error that concerns no particular set
	Node   Node
	Time   metav1.Time
}

// ImageSet is the report on one pinned image set.
type ImageSet struct {
	Name       string
	Generation int32
	Done       bool
	Failure    string // the error message, "" if the set has no error
}

var _ Change = ImageSetsChange{}

// String returns the name of the change in errors and logs.
func (ImageSetsChange) String() string { return "report of pinned image sets" }

// View returns the Node as it was when the report was accepted.
func (c ImageSetsChange) View() Node { return c.Node }

// At returns the change for another view of the Node.
func (c ImageSetsChange) At(n Node) Change {
	c.Node = n
	return c
}

// Accepted returns the time of the report.
func (c ImageSetsChange) Accepted() metav1.Time { return c.Time }

// Replace returns the newer report if it is about image sets.
func (c ImageSetsChange) Replace(newer Change) (Change, bool) {
	other, ok := newer.(ImageSetsChange)
	other.Time = c.Time
	return other, ok
}

// Absorb takes the error messages of a newer report. All other fields except Time must be equal.
func (c ImageSetsChange) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(ImageSetsChange)
	if !ok {
		return c, false
	}
	equal := other.Failed == c.Failed && other.Node == c.Node && slices.EqualFunc(c.Sets, other.Sets, func(a, b ImageSet) bool {
		return a.Name == b.Name && a.Generation == b.Generation && a.Done == b.Done && (a.Failure == "") == (b.Failure == "")
	})
	other.Time = c.Time
	return other, equal
}

// Plan returns a write of the conditions and the image sets. If a set was deleted and created
// again, an extra first write removes the set from the status, because the API server rejects a
// lower generation.
func (c ImageSetsChange) Plan(s State) (Writes, error) {
	var p Writes
	s = s.Pin()
	imageMode := c.Node.Mode.IsImage(s.Status.Conditions)
	if kept := slices.DeleteFunc(slices.Clone(s.Status.PinnedImageSets), c.recreated); len(kept) < len(s.Status.PinnedImageSets) {
		next := s.publish(conditions.Complete(s.Status.Conditions, imageMode, c.Time), c.Node, false)
		next.Status.PinnedImageSets = kept
		s = p.add(s, next, c.Node)
	}
	sets := c.sets(s.Status.PinnedImageSets)
	list, err := c.conditions(s.Status.Conditions, imageMode, sets)
	if err != nil {
		return Writes{}, err
	}
	next := s.publish(list, c.Node, false)
	next.Status.PinnedImageSets = sets
	p.add(s, next, c.Node)
	return p, nil
}

// recreated reports whether a set is reported with a lower generation than in the status.
func (c ImageSetsChange) recreated(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
	return slices.ContainsFunc(c.Sets, func(reported ImageSet) bool {
		return reported.Name == set.Name && reported.Generation < max(set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration)
	})
}

// sets returns the image sets for the status. The last error of a set stays until the set is done.
func (c ImageSetsChange) sets(before []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	var list []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, reported := range c.Sets {
		set := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: reported.Name}
		if known := findImageSet(before, reported.Name); known != nil {
			set = *known
		}
		set.DesiredGeneration = reported.Generation
		switch {
		case reported.Failure != "":
			set.LastFailedGeneration, set.LastFailedGenerationError = reported.Generation, reported.Failure
		case reported.Done:
			set.CurrentGeneration = reported.Generation
			set.LastFailedGeneration, set.LastFailedGenerationError = 0, ""
		}
		list = append(list, set)
	}
	return list
}

// conditions returns the list of conditions with new values for the two conditions of image sets.
func (c ImageSetsChange) conditions(list []metav1.Condition, imageMode bool, sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) ([]metav1.Condition, error) {
	done, failed := true, c.Failed
	for i, set := range sets {
		done = done && c.Sets[i].Done
		failed = failed || set.LastFailedGeneration > 0
	}
	progressing := conditions.Report{Phase: phases.PinnedImageSetsProgressing, Status: metav1.ConditionFalse,
		Reason: "AsExpected", Message: "All pinned image sets complete"}
	if !done {
		progressing.Status, progressing.Reason = metav1.ConditionTrue, "ImagePrefetch"
		progressing.Message = "node is prefetching images: " + c.Node.Owner.Name
	}
	degraded := conditions.Report{Phase: phases.PinnedImageSetsDegraded, Status: metav1.ConditionFalse,
		Reason: "AsExpected", Message: "All is good"}
	if failed {
		degraded.Status, degraded.Reason = metav1.ConditionTrue, "PrefetchFailed"
		degraded.Message = "One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details."
	}
	list = conditions.Complete(list, imageMode, c.Time)
	for _, request := range []conditions.Report{progressing, degraded} {
		request.Time = c.Time
		lists, err := conditions.Next(list, imageMode, request, conditions.Cycle{})
		if err != nil {
			return nil, err
		}
		if len(lists) > 0 {
			list = lists[len(lists)-1]
		}
	}
	return list, nil
}
