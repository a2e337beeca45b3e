package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// ImageSets is the change that both conditions and the list of the pinned image sets are those
// that were reported.
type ImageSets struct {
	Sets   []ImageSet
	Failed bool // with a failure that belongs to no set
	Node   Node
	Time   metav1.Time
}

// ImageSet is one pinned image set as it was reported.
type ImageSet struct {
	Name       string
	Generation int32
	Done       bool
	Failure    string // "": it did not fail
}

var _ Change = ImageSets{}

// String names the change in errors and logs.
func (ImageSets) String() string { return "report of pinned image sets" }

// View is the view of the Node at the time of the report.
func (r ImageSets) View() Node { return r.Node }

// Absorb takes over the failures of a report that differs in nothing else; the time stays.
func (r ImageSets) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(ImageSets)
	if !ok {
		return r, false
	}
	equal := other.Failed == r.Failed && other.Node == r.Node && slices.EqualFunc(r.Sets, other.Sets, func(a, b ImageSet) bool {
		return a.Name == b.Name && a.Generation == b.Generation && a.Done == b.Done && (a.Failure == "") == (b.Failure == "")
	})
	other.Time = r.Time
	return other, equal
}

// Plan returns the write that makes conditions and list those that were reported, after one that
// removes the sets that were deleted and created again: the API server rejects a generation that
// decreases.
func (r ImageSets) Plan(s State) (Plan, error) {
	var p Plan
	s = s.Pin()
	imageMode := r.Node.Mode.isImage(s.Status.Conditions)
	if kept := slices.DeleteFunc(slices.Clone(s.Status.PinnedImageSets), r.recreated); len(kept) < len(s.Status.PinnedImageSets) {
		next := s.publish(conditions.Complete(s.Status.Conditions, imageMode, r.Time), r.Node, false)
		next.Status.PinnedImageSets = kept
		p.add(s, next)
		s = next
	}
	sets := r.sets(s.Status.PinnedImageSets)
	list, err := r.conditions(s.Status.Conditions, imageMode, sets)
	if err != nil {
		return Plan{}, err
	}
	next := s.publish(list, r.Node, false)
	next.Status.PinnedImageSets = sets
	p.add(s, next)
	return p, nil
}

// recreated reports whether the reported generation of a set is lower than one in the status.
func (r ImageSets) recreated(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
	return slices.ContainsFunc(r.Sets, func(reported ImageSet) bool {
		return reported.Name == set.Name && reported.Generation < max(set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration)
	})
}

// sets returns the list of the status as it was reported. The last failure of a set stays until
// the set is done.
func (r ImageSets) sets(before []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	var list []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, reported := range r.Sets {
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

// conditions returns the list of conditions with both of the image sets' moved.
func (r ImageSets) conditions(list []metav1.Condition, imageMode bool, sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) ([]metav1.Condition, error) {
	done, failed := true, r.Failed
	for i, set := range sets {
		done = done && r.Sets[i].Done
		failed = failed || set.LastFailedGeneration > 0
	}
	progressing := conditions.Report{Phase: phases.PinnedImageSetsProgressing, Status: metav1.ConditionFalse,
		Reason: "AsExpected", Message: "All pinned image sets complete"}
	if !done {
		progressing.Status, progressing.Reason = metav1.ConditionTrue, "ImagePrefetch"
		progressing.Message = "node is prefetching images: " + r.Node.Owner.Name
	}
	degraded := conditions.Report{Phase: phases.PinnedImageSetsDegraded, Status: metav1.ConditionFalse,
		Reason: "AsExpected", Message: "All is good"}
	if failed {
		degraded.Status, degraded.Reason = metav1.ConditionTrue, "PrefetchFailed"
		degraded.Message = "One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details."
	}
	list = conditions.Complete(list, imageMode, r.Time)
	for _, request := range []conditions.Report{progressing, degraded} {
		request.Time = r.Time
		lists, err := conditions.Next(list, imageMode, request, conditions.Update{})
		if err != nil {
			return nil, err
		}
		if len(lists) > 0 {
			list = lists[len(lists)-1]
		}
	}
	return list, nil
}
