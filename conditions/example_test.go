package conditions_test

import (
	"fmt"

	"github.com/openshift/upgrademonitor/conditions"
)

// The message of a phase that was reset has the prefix of its update, which is over.
func ExampleHasUpdatePrefix() {
	for _, message := range []string{"Drained node", "Action during update to rendered-worker-bbb: Drained node"} {
		fmt.Println(conditions.HasUpdatePrefix(message), conditions.TrimUpdatePrefix(message))
	}
	// Output:
	// false Drained node
	// true Drained node
}
