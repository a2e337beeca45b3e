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

	objects, err := g.Objects()
	for _, object := range objects {
		fmt.Printf("%T\n", object)
	}
	fmt.Println(err)

	err = guard.Guard{Namespace: "kube updates"}.WriteManifests(io.Discard)
	var invalid *field.Error
	fmt.Println(errors.As(err, &invalid) && invalid.Field == "guard.Guard.Namespace")
	// Output:
	// mcn-guards-upgrademonitor mcn-guards-upgrademonitor-transitions
	// *v1.ValidatingAdmissionPolicy
	// *v1.ValidatingAdmissionPolicyBinding
	// *v1.ValidatingAdmissionPolicy
	// *v1.ValidatingAdmissionPolicyBinding
	// *v1.ClusterRole
	// *v1.ClusterRoleBinding
	// <nil>
	// true
}
