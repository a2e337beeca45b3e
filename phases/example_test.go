package phases_test

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Only the start or the end of an update resets a phase that ran.
func ExampleTransitionError() {
	var err error = &phases.TransitionError{Phase: phases.Drained, From: metav1.ConditionUnknown, To: metav1.ConditionFalse}

	var rejected *phases.TransitionError
	if errors.As(err, &rejected) {
		fmt.Printf("%s stays %s\n", rejected.Phase, rejected.From)
	}
	// Output:
	// Drained stays Unknown
}

func ExampleAll() {
	for _, p := range phases.All(false) {
		if parent, ok := phases.ParentOf(p); ok {
			fmt.Printf("%s, in %s\n", p, parent)
			continue
		}
		fmt.Println(p)
	}
	// Output:
	// UpdatePrepared
	// UpdateExecuted
	// Cordoned, in UpdateExecuted
	// Drained, in UpdateExecuted
	// AppliedFilesAndOS, in UpdateExecuted
	// UpdatePostActionComplete
	// RebootedNode
	// Resumed
	// UpdateComplete
	// Uncordoned, in UpdateComplete
	// NodeDegraded
	// Updated
	// PinnedImageSetsProgressing
	// PinnedImageSetsDegraded
}
