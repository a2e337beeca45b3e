package scope_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/scope"
)

func ExampleNewClient() {
	clientset := mcfgfake.NewClientset(object("worker-0", "worker-0"), object("worker-1", "worker-1"))

	c, err := scope.NewClient(clientset.MachineconfigurationV1().MachineConfigNodes(), "worker-0")
	if err != nil {
		fmt.Println(err)
		return
	}
	mcn, err := c.Get(context.Background(), "worker-0", metav1.GetOptions{})
	fmt.Println(mcn.Name, err)

	_, err = c.Get(context.Background(), "worker-1", metav1.GetOptions{})
	fmt.Println(errors.Is(err, scope.ErrOutOfScope), len(clientset.Actions()))
	// Output:
	// worker-0 <nil>
	// true 1
}

func ExampleGuard() {
	guard := scope.Guard{Namespace: "kube-updates", ServiceAccount: "updater", EnforceTransitions: true}
	fmt.Println(guard.Policy().Name, guard.TransitionPolicy().Name)

	for _, rule := range guard.Role().Rules {
		fmt.Println(rule.Resources, rule.Verbs)
	}

	err := scope.Guard{Namespace: "kube updates"}.WriteManifests(io.Discard)
	var invalid *field.Error
	fmt.Println(errors.As(err, &invalid) && invalid.Field == "scope.Guard.Namespace")
	// Output:
	// mcn-guards-upgrademonitor mcn-guards-upgrademonitor-transitions
	// [machineconfignodes] [get list watch create patch]
	// [machineconfignodes/status] [patch]
	// [nodes] [get list watch]
	// true
}
