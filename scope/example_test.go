package scope_test

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
)

func ExampleNewClient() {
	own := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	clientset := mcfgfake.NewClientset(own)

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
