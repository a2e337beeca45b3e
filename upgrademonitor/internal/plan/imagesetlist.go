package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// sets returns the list of the status as it was reported. What is not reported stays as it is in
// the entry of the same name, whoever owns that.
func (r ImageSets) sets(s State, memo Memo) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	var list []mcfgv1.MachineConfigNodeStatusPinnedImageSet
	for _, reported := range r.Sets {
		set := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: reported.Name}
		if before := s.imageSet(reported.Name); before != nil {
			set = *before
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
	fitFailures(list, s, memo.maxFailures())
	return list
}

// imageSet returns the set of a name in the status, whoever owns it, or nil.
func (s State) imageSet(name string) *mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	if set := findImageSet(s.Object.Status.PinnedImageSets, name); set != nil {
		return set
	}
	return findImageSet(s.Unowned.ImageSets, name)
}

// withoutRecreated returns the state without the sets whose reported generation is lower than one
// in the status: the API server rejects a generation that decreases.
func (r ImageSets) withoutRecreated(s State) State {
	recreated := func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		return slices.ContainsFunc(r.Sets, func(reported ImageSet) bool {
			return reported.Name == set.Name && reported.Generation < max(set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration)
		})
	}
	status := s.Object.Status
	status.PinnedImageSets = slices.DeleteFunc(slices.Clone(status.PinnedImageSets), recreated)
	s = s.WithStatus(status)
	s.Unowned.ImageSets = slices.DeleteFunc(slices.Clone(s.Unowned.ImageSets), recreated)
	return s
}

// withoutReported returns the sets of others without those that are reported now.
func withoutReported(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet, reported []ImageSet) []mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	return slices.DeleteFunc(slices.Clone(sets), func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		return slices.ContainsFunc(reported, func(r ImageSet) bool { return r.Name == set.Name })
	})
}

func findImageSet(list []mcfgv1.MachineConfigNodeStatusPinnedImageSet, name string) *mcfgv1.MachineConfigNodeStatusPinnedImageSet {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// equalImageSets compares without regard to order.
func equalImageSets(a, b []mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(set mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		other := findImageSet(b, set.Name)
		return other == nil || *other != set
	})
}
