package progress_test

import (
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// updating returns the object of a node that has been updating since 14:00, with these conditions.
func updating(name string, list ...metav1.Condition) *mcfgv1.MachineConfigNode {
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	mcn.Spec.Pool.Name = "worker"
	mcn.Spec.ConfigVersion.Desired = "rendered-worker-bbb"
	mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "rendered-worker-aaa", Desired: "rendered-worker-bbb"}
	mcn.Status.Conditions = append(list, condition(phases.Updated, metav1.ConditionFalse, "14:00:00", "The node is to be updated"))
	return mcn
}

func condition(p phases.Phase, status metav1.ConditionStatus, clock, message string) metav1.Condition {
	return metav1.Condition{Type: string(p), Status: status, Reason: string(p), Message: message, LastTransitionTime: metav1.NewTime(today(clock))}
}

func today(clock string) time.Time {
	t, err := time.Parse(time.DateTime, "2026-05-22 "+clock)
	if err != nil {
		fmt.Println(err)
	}
	return t
}

// The time of the drain's own condition is ignored: each of its attempts may change it.
func ExampleFromMachineConfigNode() {
	node := progress.FromMachineConfigNode(updating("worker-4",
		condition(phases.UpdatePrepared, metav1.ConditionTrue, "14:00:06", "Prepared"),
		condition(phases.Cordoned, metav1.ConditionTrue, "14:00:11", "Cordoned"),
		condition(phases.Drained, metav1.ConditionUnknown, "14:46:30", "Cannot evict pod"),
	))
	fmt.Println(node.Name, "is", node.State, "at step", node.Step, "since", node.Since.Format(time.TimeOnly))
	fmt.Println(node.Message)
	for _, step := range node.Steps {
		fmt.Println(" ", step.State, step.Phase, step.Duration)
	}
	// Output:
	// worker-4 is Updating at step Drained since 14:00:11
	// Cannot evict pod
	//   Finished UpdatePrepared 6s
	//   Finished Cordoned 5s
	//   Running Drained 0s
	//   ToDo AppliedFilesAndOS 0s
	//   ToDo RebootedNode 0s
	//   ToDo Resumed 0s
	//   ToDo Uncordoned 0s
}

// The only node that may be updated at a time is stuck, so that the others wait forever.
func ExamplePools() {
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.Configuration.Name = "rendered-worker-bbb"
	pool.Spec.MaxUnavailable = &intstr.IntOrString{IntVal: 1}

	waiting := updating("worker-5")
	waiting.Spec.ConfigVersion.Desired = "rendered-worker-aaa"
	waiting.Status.Conditions = []metav1.Condition{condition(phases.Updated, metav1.ConditionTrue, "09:00:00", "Updated")}
	nodes := []progress.Node{
		progress.FromMachineConfigNode(updating("worker-4", condition(phases.Drained, metav1.ConditionUnknown, "14:46:30", "Cannot evict pod"))),
		progress.FromMachineConfigNode(waiting),
	}
	for _, p := range progress.Pools([]*mcfgv1.MachineConfigPool{pool}, nodes, today("15:12:00"), progress.Limits{}) {
		fmt.Printf("%s: %d of %d done, %d waiting, blocked: %t\n", p.Name, p.Done, len(p.Nodes), p.Waiting, p.Blocked)
		for _, s := range p.StuckNodes() {
			fmt.Printf("%s: %s for %s: %s\n", s.Name, s.Step, s.For, s.Message)
		}
	}
	// Output:
	// worker: 0 of 2 done, 1 waiting, blocked: true
	// worker-4: Drained for 1h12m0s: Cannot evict pod
}
