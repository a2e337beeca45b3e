package upgrademonitor

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// plan returns the write that makes conditions and list what was reported, after one that
// takes from the list what was made anew.
func (r *imageSets) plan(s state) (plan, error) {
	p := plan{from: s, begun: s.begun}
	if kept := r.without(s.object.Status.PinnedImageSets); len(kept) < len(s.object.Status.PinnedImageSets) {
		list := conditions.Complete(s.object.Status.Conditions, r.imageMode, r.Time)
		s = p.add(s, r.status(s, list, kept))
	}
	before := s.object.Status
	list, err := r.conditions(before)
	if err != nil {
		return plan{}, err
	}
	if err := roomFor([][]metav1.Condition{list}, before.Conditions); err != nil {
		return plan{}, err
	}
	after := r.status(s, list, r.list(before.PinnedImageSets))
	same := conditions.Same(before.Conditions, list) && sameImageSets(before.PinnedImageSets, after.PinnedImageSets) && r.following(s, list)
	if !same {
		p.add(s, after)
	}
	return p, nil
}

// add adds a write of the status, and returns the state that it leads to.
func (p *plan) add(s state, status mcfgv1.MachineConfigNodeStatus) state {
	next := s.withStatus(status)
	p.writes = append(p.writes, writeStatus(s, next))
	return next
}

// status returns the status with the conditions and sets, and the versions of the node.
func (r *imageSets) status(s state, list []metav1.Condition, sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) mcfgv1.MachineConfigNodeStatus {
	status := r.followed(s, list)
	status.Conditions, status.PinnedImageSets = list, sets
	return status
}

// without returns the sets of the status less those that were made anew since.
func (r *imageSets) without(before []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	var kept []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, set := range before {
		anew := false
		for _, reported := range r.sets {
			anew = anew || reported.name == set.Name && reported.generation < max(set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration)
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
		set := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: reported.name}
		if was := imageSet(before, reported.name); was != nil {
			set = *was
		}
		set.DesiredGeneration = reported.generation
		switch {
		case reported.failure != "":
			set.LastFailedGeneration, set.LastFailedGenerationError = reported.generation, reported.failure
		case reported.done:
			set.CurrentGeneration = reported.generation
			set.LastFailedGeneration, set.LastFailedGenerationError = 0, ""
		}
		list = append(list, set)
	}
	return list
}

// conditions returns the list of conditions with both of the image sets' moved.
func (r *imageSets) conditions(before mcfgv1.MachineConfigNodeStatus) ([]metav1.Condition, error) {
	done, failed := true, false
	for i, set := range r.list(before.PinnedImageSets) {
		done = done && r.sets[i].done
		failed = failed || set.LastFailedGeneration > 0
	}
	progressing, degraded := r.Report, r.Report
	progressing.Phase, degraded.Phase = phases.PinnedImageSetsProgressing, phases.PinnedImageSetsDegraded
	say(&progressing, metav1.ConditionTrue, "ImagePrefetch", "node is prefetching images: "+r.nodeName)
	if done {
		say(&progressing, metav1.ConditionFalse, "AsExpected", "All pinned image sets complete")
	}
	say(&degraded, metav1.ConditionFalse, "AsExpected", "All is good")
	if failed {
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
