package upgrademonitor

import (
	"context"
	"fmt"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const (
	// maxImageSets is how many pinned image sets the CRD accepts.
	maxImageSets = 100
	// maxFailures is how many bytes the failures of all sets may have as they are encoded: an
	// object has to fit into a request to etcd.
	maxFailures = 200_000
)

// PinnedImageSet is how far a node is with one pinned image set.
type PinnedImageSet struct {
	// Name is the name of the PinnedImageSet. It must be a valid object name.
	Name string
	// Generation is the generation of it that the node is to have, from 1 to 2³¹−1.
	Generation int64
	// Done is true if the node has all images of that generation.
	Done bool
	// Err is why the node could not get them. It takes precedence over Done.
	Err error
}

// PinnedImageSetsOption adds to a report of pinned image sets.
type PinnedImageSetsOption func(*imageSetsOptions)

type imageSetsOptions struct {
	failure string
}

// PrefetchFailed is a failure that belongs to no set, or to all: PinnedImageSetsDegraded is True
// with its text as the message. A nil error is none.
func PrefetchFailed(err error) PinnedImageSetsOption {
	return func(o *imageSetsOptions) {
		if err != nil {
			o.failure = failureText(err, conditions.MaxMessage)
		}
	}
}

// ReportPinnedImageSets reports on all pinned image sets of the node: both conditions and
// the list in the status become what is reported here, at once.
//
//  1. A set that is not named any more leaves the list, unless another field manager applied it.
//  2. The current generation of a set stays while a newer one is being fetched.
//  3. The last failure of a set stays until the set is done or removed, and
//     PinnedImageSetsDegraded stays with it.
//  4. A set that was deleted and created again, so that its generation decreased, leaves the
//     list in a write of its own first.
//  5. A generation out of range, an invalid or duplicate name, and more than 100 sets give a
//     *ReportError, and nothing is changed.
//
// Other errors are those of GenerateAndApplyMachineConfigNode.
func (m *Monitor) ReportPinnedImageSets(ctx context.Context, sets []PinnedImageSet, opts ...PinnedImageSetsOption) error {
	if m == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := m.newImageSets(ctx, sets)
	if err != nil {
		return err
	}
	var options imageSetsOptions
	for _, opt := range opts {
		if opt != nil {
			opt(&options)
		}
	}
	r.Failure = options.failure
	return m.submit(ctx, r)
}

func (m *Monitor) newImageSets(ctx context.Context, reported []PinnedImageSet) (plan.ImageSets, error) {
	if err := validateImageSets(reported); err != nil {
		return plan.ImageSets{}, m.refused(phases.PinnedImageSetsProgressing, err)
	}
	report, err := m.newReport(ctx, phases.PinnedImageSetsProgressing, "AsExpected", "", metav1.ConditionFalse, reportOptions{})
	if err != nil {
		return plan.ImageSets{}, err
	}
	r := plan.ImageSets{Report: report, NodeName: m.config.NodeName}
	for _, set := range reported {
		s := plan.ImageSet{Name: set.Name, Generation: int32(set.Generation), Done: set.Done} //nolint:gosec // it was validated
		if set.Err != nil {
			s.Done, s.Failure = false, failureText(set.Err, maxFailures/len(reported))
		}
		r.Sets = append(r.Sets, s)
	}
	return r, nil
}

func validateImageSets(reported []PinnedImageSet) error {
	path := field.NewPath("sets")
	if len(reported) > maxImageSets {
		return field.TooMany(path, len(reported), maxImageSets)
	}
	names := sets.New[string]()
	for i, set := range reported {
		name, generation := path.Index(i).Child("name"), path.Index(i).Child("generation")
		switch {
		case !validate.IsName(set.Name):
			return field.Invalid(name, fmt.Sprintf("%.64s", set.Name), "invalid object name: must be a lowercase RFC 1123 subdomain")
		case set.Generation < 1 || set.Generation > math.MaxInt32:
			return field.Invalid(generation, set.Generation, fmt.Sprintf("must be from 1 to %d", math.MaxInt32))
		case names.Has(set.Name):
			return field.Duplicate(name, set.Name)
		}
		names.Insert(set.Name)
	}
	return nil
}

// failureText is the text of an error, of at most so many bytes as it is encoded. It is never
// empty: the CRD requires one with each failure.
func failureText(err error, room int) string {
	text := fmt.Sprint(err) // unlike Error, it does not panic on a nil pointer
	if text == "" {
		return "unknown error"
	}
	return plan.Shorten(conditions.Truncate(text), room)
}
