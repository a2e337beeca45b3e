package upgrademonitor

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/truncate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

const (
	maxImageSets = 100  // the maximum number of sets that the CRD allows
	maxFailure   = 1024 // the maximum length of a set's failure message, in bytes
)

// PinnedImageSet is the state of a PinnedImageSet on the node.
type PinnedImageSet struct {
	// Name is the name of the PinnedImageSet.
	Name string
	// Generation is the metadata.generation of the PinnedImageSet, from 1 to 2³¹−1.
	Generation int64
	// Done is true if the node has all images of this generation.
	Done bool
	// Err is the error if the node failed to pull the images. If Err is set, Done is ignored.
	Err error
}

// imageSetsOf converts sets and a failure for package planner. The sets must be valid.
func imageSetsOf(reported []PinnedImageSet, failure error) *planner.ImageSets {
	list := &planner.ImageSets{}
	isShown := failure == nil
	for _, set := range reported {
		if set.Err == nil && !set.Done && failure != nil {
			set.Err, isShown = failure, true
		}
		generation := int32(set.Generation) //nolint:gosec // validateImageSets checks the range
		s := planner.ImageSet{Name: set.Name, Generation: generation, Done: set.Done}
		if set.Err != nil {
			s.Done = false
			s.Failure = failureText(set.Err)
		}
		list.Sets = append(list.Sets, s)
	}
	if !isShown {
		list.Failure = failureText(failure)
	}
	return list
}

func validateImageSets(reported []PinnedImageSet) error {
	path := field.NewPath("sets")
	if len(reported) > maxImageSets {
		return field.TooMany(path, len(reported), maxImageSets)
	}
	names := sets.New[string]()
	for i, set := range reported {
		name := path.Index(i).Child("name")
		generation := path.Index(i).Child("generation")
		switch {
		case !nodemeta.IsName(set.Name):
			return field.Invalid(name, fmt.Sprintf("%.64s", set.Name),
				"invalid object name: must be a lowercase RFC 1123 subdomain")
		case set.Generation < 1 || set.Generation > math.MaxInt32:
			return field.Invalid(generation, set.Generation, fmt.Sprintf("must be from 1 to %d", math.MaxInt32))
		case names.Has(set.Name):
			return field.Duplicate(name, set.Name)
		}
		names.Insert(set.Name)
	}
	return nil
}

// failureText returns the message of an error. If the message is "", which the CRD rejects, it returns
// another text.
func failureText(err error) string {
	text := fmt.Sprint(err) // unlike err.Error(), Sprint does not panic if err is a nil pointer
	if text == "" {
		return "unknown error"
	}
	return truncate.To(text, maxFailure)
}
