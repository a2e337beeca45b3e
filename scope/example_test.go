package scope_test

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
)

func ExampleNewClient() {
	clientset := mcfgfake.NewClientset(&mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}})
	c, err := scope.NewClient(clientset, "worker-0", "machine-config-operator")
	if err != nil {
		fmt.Println(err)
		return
	}
	mcn, err := c.PatchStatus(context.Background(), []byte(`{"status":{"observedGeneration":1}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mcn.Name, mcn.Status.ObservedGeneration)

	var another mcfgv1.MachineConfigNodeSpec
	another.Node.Name = "worker-1"
	_, err = c.Create(context.Background(), nil, another)
	fmt.Println(err)
	// Output:
	// worker-0 1
	// create MachineConfigNode worker-0: out of scope: a node may access only its own MachineConfigNode: spec.node.name is "worker-1"
}
