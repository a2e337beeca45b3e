package plan

import (
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// ImageSets is the intent that both conditions and the list of the pinned image sets are those
// that were reported.
type ImageSets struct {
	// Report has the time, the node and the mode. Its phase, status and texts are not used.
	Report
	NodeName string
	Sets     []ImageSet
	// Failure is a failure that belongs to no set, or to all; "" where there is none.
	Failure string
}

// ImageSet is one pinned image set as it was reported.
type ImageSet struct {
	Name       string
	Generation int32
	Done       bool
	Failure    string // "" where it did not fail
}

// String names the intent in errors and logs.
func (ImageSets) String() string { return "report of pinned image sets" }

// Key has one coalesce key for all reports of image sets.
func (r ImageSets) Key() Key {
	var request strings.Builder
	for _, set := range r.Sets {
		fmt.Fprintf(&request, "%s/%d %t %t,", set.Name, set.Generation, set.Done, set.Failure != "")
	}
	fmt.Fprintf(&request, "%t %t %v", r.Failure != "", r.ImageMode, r.Node)
	return Key{CoalesceKey: "PinnedImageSets", Request: request.String()}
}

// Plan returns the write that makes conditions and list those that were reported, after one that
// removes the sets that were deleted and created again: their generation has decreased.
func (r ImageSets) Plan(s State, memo Memo) (Plan, error) {
	p := Plan{Final: s, Memo: memo}
	if kept := r.withoutRecreated(s); len(kept.Object.Status.PinnedImageSets)+len(kept.Unowned.ImageSets) <
		len(s.Object.Status.PinnedImageSets)+len(s.Unowned.ImageSets) {
		list := conditions.Complete(s.Object.Status.Conditions, r.ImageMode, r.Time)
		s = p.addStatus(s, r.withStatus(kept, list, kept.Object.Status.PinnedImageSets))
	}
	before := s.Object.Status
	sets := r.sets(s, memo)
	list, err := r.conditions(s, sets, memo)
	if err != nil {
		return Plan{}, err
	}
	next := r.withStatus(s, list, sets)
	next.Unowned.ImageSets = withoutReported(s.Unowned.ImageSets, r.Sets)
	if !conditions.Equal(before.Conditions, list) || !equalImageSets(before.PinnedImageSets, sets) || !r.versionsCurrent(s, list) {
		p.addStatus(s, next)
	}
	return p, nil
}

// withStatus returns the state with the conditions and sets, and the versions of the node.
func (r ImageSets) withStatus(s State, list []metav1.Condition, sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) State {
	status := r.withVersions(s, list)
	status.Conditions, status.PinnedImageSets = list, sets
	return s.WithStatus(status)
}

// conditions returns the list of conditions with both of the image sets' moved.
func (r ImageSets) conditions(s State, sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet, memo Memo) ([]metav1.Condition, error) {
	done, failed := true, false
	for i, set := range sets {
		done = done && r.Sets[i].Done
		failed = failed || set.LastFailedGeneration > 0
	}
	progressing := r.of(phases.PinnedImageSetsProgressing, metav1.ConditionTrue, "ImagePrefetch", "node is prefetching images: "+r.NodeName)
	if done {
		progressing = r.of(phases.PinnedImageSetsProgressing, metav1.ConditionFalse, "AsExpected", "All pinned image sets complete")
	}
	degraded := r.of(phases.PinnedImageSetsDegraded, metav1.ConditionFalse, "AsExpected", "All is good")
	switch {
	case r.Failure != "":
		degraded = r.of(phases.PinnedImageSetsDegraded, metav1.ConditionTrue, "PrefetchFailed", r.Failure)
	case failed:
		degraded = r.of(phases.PinnedImageSetsDegraded, metav1.ConditionTrue, "PrefetchFailed", "One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.")
	}
	list := conditions.Complete(s.Object.Status.Conditions, r.ImageMode, r.Time)
	for _, request := range []conditions.Report{progressing, degraded} {
		lists, err := conditions.Next(list, r.ImageMode, request)
		if err != nil {
			return nil, err
		}
		if len(lists) > 0 {
			list = lists[len(lists)-1]
		}
	}
	return fit(s, list, s.Object.Status.Conditions, memo.maxMessages())
}

func (r ImageSets) of(p phases.Phase, status metav1.ConditionStatus, reason, message string) conditions.Report {
	return conditions.Report{Phase: p, Status: status, Reason: reason, Message: message, Time: r.Time}
}
