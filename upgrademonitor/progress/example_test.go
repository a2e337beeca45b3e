package progress_test

import (
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	fmt.Println(node.Name, "is at step", node.Step, "since", node.Since.Format(time.TimeOnly))
	fmt.Println(node.Message)
	for _, step := range node.Steps {
		fmt.Println(" ", step.State, step.Phase, step.Duration)
	}
	// Output:
	// worker-4 is at step Drained since 14:00:11
	// Cannot evict pod
	//   Finished UpdatePrepared 6s
	//   Finished Cordoned 5s
	//   Running Drained 0s
	//   ToDo AppliedFilesAndOS 0s
	//   ToDo RebootedNode 0s
	//   ToDo Resumed 0s
	//   ToDo Uncordoned 0s
}

// The MachineConfigNode does not show that its Node is under pressure, and has another config to update to.
func ExampleOf() {
	mcn := updating("worker-5")
	mcn.Spec.ConfigVersion.Desired = "rendered-worker-aaa"
	mcn.Status.Conditions = []metav1.Condition{condition(phases.Updated, metav1.ConditionTrue, "09:00:00", "Updated")}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-5", Annotations: map[string]string{
		"machineconfiguration.openshift.io/currentConfig": "rendered-worker-aaa",
		"machineconfiguration.openshift.io/desiredConfig": "rendered-worker-bbb",
	}}}
	node.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(today("14:00:00"))},
	}
	n := progress.Of(node, mcn)
	fmt.Println(n.Name, "is to be updated to", n.Desired.Config, "and has not started:", n.NotStarted)
	for _, u := range n.Unavailable {
		fmt.Println(u.Reason, "since", u.Since.Format(time.TimeOnly))
	}
	// Output:
	// worker-5 is to be updated to rendered-worker-bbb and has not started: true
	// DiskPressure since 14:00:00
}
