package components_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// A reader needs only the conditions of MachineConfiguration/cluster.
func ExampleMostRecentError() {
	conditions := []metav1.Condition{
		{Type: components.TypeOf(components.Operator, components.Available), Status: metav1.ConditionTrue, Reason: "AsExpected"},
		{Type: components.TypeOf(components.Operator, components.Degraded), Status: metav1.ConditionTrue, Reason: "OperatorSyncMCDFailed",
			Message: "timed out waiting for the daemons", LastTransitionTime: noon},
	}
	fmt.Println("operator:", components.HealthOf(conditions, components.Operator))
	fmt.Println("overall:", components.Overall(conditions))
	if fault, ok := components.MostRecentError(conditions); ok {
		fmt.Printf("%s since %s: %s\n", fault.State, fault.Since.UTC().Format("15:04"), fault.Message)
	}
	// Output:
	// operator: Unhealthy
	// overall: Unhealthy
	// OperatorSyncMCD since 12:00: timed out waiting for the daemons
}
