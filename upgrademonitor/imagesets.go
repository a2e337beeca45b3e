package upgrademonitor

import (
	"context"
	"fmt"
	"math"
	"strings"

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
// the list in the status are made what is said here, at once.
//
//  1. A set that is not named any more leaves the list.
//  2. The current generation of a set stays while a newer one is being fetched.
//  3. The last failure of a set stays until the set is done or gone, and
//     PinnedImageSetsDegraded stays with it.
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
	sets []reportedSet
}

// reportedSet is a PinnedImageSet as it was when it was reported.
type reportedSet struct {
	name       string
	generation int32
	done       bool
	failure    string // "" where it did not fail
}

func (m *Monitor) newImageSets(ctx context.Context, reported []PinnedImageSet) (*imageSets, error) {
	if err := checkImageSets(m.config.NodeName, reported); err != nil {
		return nil, err
	}
	progressing, err := m.newReport(ctx, phases.PinnedImageSetsProgressing, "AsExpected", "", metav1.ConditionFalse)
	if err != nil {
		return nil, err
	}
	r := &imageSets{report: *progressing}
	for _, set := range reported {
		kept := reportedSet{name: set.Name, generation: int32(set.Generation), done: set.Done} //nolint:gosec // it was checked
		if set.Err != nil {
			kept.done, kept.failure = false, failureText(set.Err, len(reported))
		}
		r.sets = append(r.sets, kept)
	}
	return r, nil
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

// maxFailures is how many characters the failures of all sets may have: an object has to
// fit into etcd.
const maxFailures = 200_000

// failureText is the text of an error, cut so that as many as there are sets fit. It is
// never empty: the CRD wants one with each failure.
func failureText(err error, sets int) string {
	text := fmt.Sprint(err) // unlike Error, it does not panic on a nil pointer
	if text == "" {
		return "unknown error"
	}
	return conditions.CutTo(text, min(conditions.MaxMessage, maxFailures/sets))
}

func (r *imageSets) String() string { return "report of pinned image sets" }
