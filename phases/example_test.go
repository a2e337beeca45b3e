package phases_test

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// The missing step of a phase that never started is inserted.
func ExamplePath() {
	steps, err := phases.Path(phases.Drained, metav1.ConditionFalse, metav1.ConditionTrue)
	fmt.Println(steps, err)

	steps, err = phases.Path(phases.Drained, metav1.ConditionTrue, metav1.ConditionUnknown) // a retry
	fmt.Println(steps, err)

	steps, err = phases.Path(phases.Drained, metav1.ConditionTrue, metav1.ConditionTrue)
	fmt.Println(steps, err)
	// Output:
	// [Unknown True] <nil>
	// [False Unknown] <nil>
	// [] <nil>
}

// Only the start or the end of an update resets a phase that ran.
func ExampleTransitionError() {
	_, err := phases.Path(phases.Drained, metav1.ConditionUnknown, metav1.ConditionFalse)

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
