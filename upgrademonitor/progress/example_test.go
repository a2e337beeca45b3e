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

// Only the Node shows that it is under disk pressure, and that another config is desired.
func ExampleOf() {
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-5"}}
	mcn.Spec.ConfigVersion.Desired = "rendered-worker-aaa"
	mcn.Status.Conditions = []metav1.Condition{{Type: string(phases.Updated), Status: metav1.ConditionTrue, Reason: "Updated"}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-5", Annotations: map[string]string{
		"machineconfiguration.openshift.io/currentConfig": "rendered-worker-aaa",
		"machineconfiguration.openshift.io/desiredConfig": "rendered-worker-bbb",
		"machineconfiguration.openshift.io/state":         "Done",
	}}}
	pressure := metav1.Date(2026, 5, 22, 14, 0, 0, 0, time.UTC)
	node.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue, LastTransitionTime: pressure},
	}
	n := progress.Of(node, mcn)
	fmt.Println(n.Name, "is to be updated to", n.Desired.Config+":", n.Update)
	for _, u := range n.Unavailable {
		fmt.Println(u.Reason, "since", u.Since.Format(time.TimeOnly))
	}
	// Output:
	// worker-5 is to be updated to rendered-worker-bbb: Requested
	// DiskPressure since 14:00:00
}
