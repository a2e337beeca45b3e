package conditions_test

import (
	"fmt"

	"github.com/openshift/upgrademonitor/conditions"
)

// After an update, the message of each step that was reported has the prefix.
func ExampleHasUpdatePrefix() {
	for _, message := range []string{"Drained node", "Action during update to rendered-worker-bbb: Drained node"} {
		fmt.Println(conditions.HasUpdatePrefix(message), conditions.TrimUpdatePrefix(message))
	}
	// Output:
	// false Drained node
	// true Drained node
}
