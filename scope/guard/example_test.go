package guard_test

import (
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/scope/guard"
)

func ExampleGuard() {
	g := guard.Guard{Namespace: "kube-updates", ServiceAccount: "updater", EnforceTransitions: true}
	fmt.Println(g.Policy().Name, g.TransitionPolicy().Name)

	for _, rule := range g.Role().Rules {
		fmt.Println(rule.Resources, rule.Verbs)
	}

	err := guard.Guard{Namespace: "kube updates"}.WriteManifests(io.Discard)
	var invalid *field.Error
	fmt.Println(errors.As(err, &invalid) && invalid.Field == "guard.Guard.Namespace")
	// Output:
	// mcn-guards-upgrademonitor mcn-guards-upgrademonitor-transitions
	// [machineconfignodes] [get list watch create patch]
	// [machineconfignodes/status] [patch]
	// [nodes] [get list watch]
	// true
}
