package upgrademonitor

import (
	"context"
	"fmt"
	"math"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// maxImageSets is how many pinned image sets the CRD takes.
const maxImageSets = 100

// PinnedImageSet is how far a node is with one pinned image set.
type PinnedImageSet struct {
	// Name is the name of the PinnedImageSet. It must be one that an object can have.
	Name string
	// Generation is the generation of it that the node is to have, from 1 to 2³¹−1.
	Generation int64
	// Done says that the node has all images of that generation.
	Done bool
	// Err says why the node could not get them. It outweighs Done.
	Err error
}

// ReportPinnedImageSets reports on all pinned image sets of the node: both conditions and
// the list in the status are made what is said here, in one write.
//
//  1. A set that is not named any more leaves the list.
//  2. The current generation of a set stays while a newer one is being fetched.
//  3. The last failure of a set stays until the set is done or gone, and NodeDegraded's
//     like, PinnedImageSetsDegraded, with it.
//  4. A set that was deleted and made anew, so that its generation decreased, leaves the
//     list in a write of its own first.
//  5. A generation out of range, a name that no object can have or that is there twice, and
//     more than 100 sets give an *ImageSetError, and nothing is changed.
//
// Other errors are those of GenerateAndApplyMachineConfigNode.
func (m *Monitor) ReportPinnedImageSets(ctx context.Context, sets []PinnedImageSet) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := m.newImageSets(ctx, sets)
	if err != nil {
		return err
	}
	return m.submit(ctx, r)
}

// ImageSetError says which pinned image set cannot be reported, and why.
type ImageSetError struct {
	NodeName string
	Name     string // of the set; "" where there are too many
	Problem  string
}

// Error names the node, the set and the problem.
func (e *ImageSetError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("report of pinned image sets on node %s refused: %s", e.NodeName, e.Problem)
	}
	return fmt.Sprintf("report of pinned image set %.64q on node %s refused: %s", e.Name, e.NodeName, e.Problem)
}

// imageSets is one accepted report on the pinned image sets. It is a report too: one that
// reports the two conditions at once.
type imageSets struct {
	report
	sets []PinnedImageSet
}

func (m *Monitor) newImageSets(ctx context.Context, reported []PinnedImageSet) (*imageSets, error) {
	if err := checkImageSets(m.config.NodeName, reported); err != nil {
		return nil, err
	}
	progressing, err := m.newReport(ctx, phases.PinnedImageSetsProgressing, "AsExpected", "", metav1.ConditionFalse)
	if err != nil {
		return nil, err
	}
	return &imageSets{report: *progressing, sets: append([]PinnedImageSet(nil), reported...)}, nil
}

func checkImageSets(nodeName string, reported []PinnedImageSet) error {
	if len(reported) > maxImageSets {
		return &ImageSetError{NodeName: nodeName, Problem: fmt.Sprintf("there are %d of them: a MachineConfigNode holds at most %d", len(reported), maxImageSets)}
	}
	names := sets.New[string]()
	for _, set := range reported {
		refuse := func(problem string) error {
			return &ImageSetError{NodeName: nodeName, Name: set.Name, Problem: problem}
		}
		if problems := validation.IsDNS1123Subdomain(set.Name); len(problems) > 0 {
			return refuse("it is no name of an object: " + strings.Join(problems, "; "))
		}
		if set.Generation < 1 || set.Generation > math.MaxInt32 {
			return refuse(fmt.Sprintf("generation %d is not within 1 to %d", set.Generation, math.MaxInt32))
		}
		if names.Has(set.Name) {
			return refuse("it is there twice")
		}
		names.Insert(set.Name)
	}
	return nil
}

func (r *imageSets) String() string { return "report of pinned image sets" }

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
