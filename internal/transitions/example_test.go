package transitions_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// The missing step of a phase that never started is inserted.
func ExamplePath() {
	steps, err := transitions.Path(phases.Drained, metav1.ConditionFalse, metav1.ConditionTrue)
	fmt.Println(steps, err)

	steps, err = transitions.Path(phases.Drained, metav1.ConditionTrue, metav1.ConditionUnknown) // a retry
	fmt.Println(steps, err)

	steps, err = transitions.Path(phases.Drained, metav1.ConditionTrue, metav1.ConditionTrue)
	fmt.Println(steps, err)
	// Output:
	// [Unknown True] <nil>
	// [False Unknown] <nil>
	// [] <nil>
}

// A drain that is reported as done is published as running first, and so is its parent.
func ExampleNext() {
	writes, err := conditionstest.Writes(nil, false, transitions.Report{
		Phase:   phases.Drained,
		Status:  metav1.ConditionTrue,
		Reason:  "UpdateExecutedDrained",
		Message: "Drained node",
		Time:    metav1.NewTime(time.Date(2026, 5, 22, 14, 20, 30, 0, time.UTC)),
	}, transitions.Update{Name: "rendered-worker-bbb"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, list := range writes {
		fmt.Printf("write %d: %d conditions, Drained is %s, UpdateExecuted is %s\n", i+1, len(list),
			conditions.StatusOf(list, phases.Drained), conditions.StatusOf(list, phases.UpdateExecuted))
	}
	// Output:
	// write 1: 14 conditions, Drained is Unknown, UpdateExecuted is Unknown
	// write 2: 14 conditions, Drained is True, UpdateExecuted is Unknown
}
