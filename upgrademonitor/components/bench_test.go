package components_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// BenchmarkBeginEnd is the cost of a step: at most 5 µs, whatever its error and the number of errors.
func BenchmarkBeginEnd(b *testing.B) {
	for name, err := range map[string]error{
		"no error": nil, "short error": errDaemons, "8 kB of multi-byte text": errors.New(strings.Repeat("世界", 8<<10/6)), "1 MB error": errors.New(strings.Repeat("<\n", 1<<19)),
	} {
		for _, others := range []int{0, 100} {
			b.Run(fmt.Sprint(name, ", other errors: ", others), func(b *testing.B) {
				r, invalid := components.New(newMemory().config(components.Operator))
				require.NoError(b, invalid)
				for i := range others {
					r.Begin(components.OperatorSyncMCP, strconv.Itoa(i))(errDaemons)
				}
				b.ReportAllocs()
				for b.Loop() {
					r.Begin(components.OperatorSyncMCP, "worker")(err)
				}
			})
		}
	}
}

// A reader needs only the conditions of MachineConfiguration/cluster.
func ExampleMostRecentError() {
	conditions := []metav1.Condition{{
		Type: "MachineConfigOperatorDegraded", Status: metav1.ConditionTrue, Reason: "OperatorSyncMCDFailed", Message: "timed out", LastTransitionTime: noon,
	}}
	fault, _ := components.MostRecentError(conditions)
	fmt.Printf("%s: %s since %s: %s\n", components.Overall(conditions), fault.State, fault.Since.UTC().Format("15:04"), fault.Message)
	// Output: Unhealthy: OperatorSyncMCD since 12:00: timed out
}
