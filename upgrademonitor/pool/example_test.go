package pool_test

import (
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// Status is a pure function. It needs no cluster, and computes the status for any time.
func ExampleStatus() {
	now := metav1.NewTime(time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC))
	nodes := []*corev1.Node{newNode("worker-0"), newNode("worker-1"), newNode("worker-2")}
	mcns := []*mcfgv1.MachineConfigNode{newMCN("worker-0"), newMCN("worker-1", updating, degraded, phase(mcfgv1.MachineConfigNodeUpdateDrained, metav1.ConditionUnknown)), newMCN("worker-2", waiting)}

	status := pool.Status(newPool("worker"), nodes, mcns, pool.Options{}, now)

	fmt.Printf("%d of %d updated, %d degraded\n", status.UpdatedMachineCount, status.MachineCount, status.DegradedMachineCount)
	for _, condition := range status.Conditions {
		fmt.Printf("%s %s: %s\n", condition.Type, condition.Status, condition.Message)
	}
	// Output:
	// 1 of 3 updated, 1 degraded
	// Updated False: 1 of 3 nodes have MachineConfig rendered-worker-bbb
	// Updating True: All nodes are updating to MachineConfig rendered-worker-bbb. 1 of 3 nodes have it. See oc get machineconfignodes
	// NodeDegraded True: Node worker-1 is reporting: "disk full" See oc describe machineconfignode/worker-1
	// Degraded True: Node worker-1 is reporting: "disk full" See oc describe machineconfignode/worker-1
}

// Primary returns the pool from which a node gets its config, or an error if the pools conflict.
func ExamplePrimary() {
	pools := []*mcfgv1.MachineConfigPool{newPool("master"), newPool("worker"), newPool("infra"), newPool("gpu")}

	primary, err := pool.Primary(newNode("worker-0", roles("worker", "infra")), pools)
	fmt.Println(primary.Name, err)

	_, err = pool.Primary(newNode("worker-1", roles("gpu", "infra")), pools)
	fmt.Println(err)
	// Output:
	// infra <nil>
	// node worker-1 is selected by conflicting pools (gpu, infra): change the labels of the node or the nodeSelectors of the pools, so that only one of these pools selects the node
}
