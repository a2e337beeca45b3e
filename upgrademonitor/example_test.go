package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// A daemon creates one Monitor for the life of its process, and reports each step of its node.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	clientset := mcfgfake.NewClientset() // of openshift/client-go, in a daemon
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}

	monitor, err := upgrademonitor.New(ctx, upgrademonitor.Config{
		Client:   clientset,
		NodeName: "worker-0",
		Node:     func() (*corev1.Node, error) { return node, nil }, // the Get of a lister, in a daemon
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	monitor.Report(ctx, phases.Updated, "Node needs an update", metav1.ConditionFalse) // an update starts
	monitor.Report(ctx, phases.UpdatePrepared, "Update is compatible", metav1.ConditionTrue)
	err = monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", func(context.Context) error {
		return errors.New("no space left on device")
	})
	monitor.ReportDegraded(ctx, err)

	flush, cancel := context.WithTimeout(ctx, 10*time.Second) // before a reboot, and on SIGTERM
	defer cancel()
	if err := monitor.Flush(flush); err != nil {
		fmt.Println(err)
	}
	show(clientset, "UpdatePrepared", "UpdateExecuted", "NodeDegraded")
	// Output:
	// UpdatePrepared True: Update is compatible
	// UpdateExecuted Unknown: Error: Applying files and OS: no space left on device
	// NodeDegraded True: Node worker-0 upgrade failure. no space left on device
}

// Track reports that work is running and, if it fails, why.
func ExampleMonitor_Track() {
	clientset := mcfgfake.NewClientset()
	monitor := newMonitor(clientset)

	err := monitor.Track(context.Background(), phases.Drained, "Draining node", func(context.Context) error {
		show(clientset, "Drained")
		return errors.New("pod web-0 has no other node to go to")
	})
	fmt.Println("the work's own error:", err)

	show(clientset, "Drained")
	// Output:
	// Drained Unknown: Draining node
	// the work's own error: pod web-0 has no other node to go to
	// Drained Unknown: Error: Draining node: pod web-0 has no other node to go to
}

// Each call reports all image sets of the node. The last argument is an error of all sets that are not done.
func ExampleMonitor_ReportPinnedImageSets() {
	clientset := mcfgfake.NewClientset()
	monitor := newMonitor(clientset)

	sets := []upgrademonitor.PinnedImageSet{
		{Name: "release", Generation: 1, Done: true},
		{Name: "workload", Generation: 3, Err: errors.New("manifest unknown")},
		{Name: "zone", Generation: 2},
	}
	monitor.ReportPinnedImageSets(context.Background(), sets, errors.New("node worker-0 is reporting OutOfDisk=True"))

	show(clientset, "PinnedImageSetsProgressing", "PinnedImageSetsDegraded")
	mcn, _ := clientset.MachineconfigurationV1().MachineConfigNodes().Get(context.Background(), "worker-0", metav1.GetOptions{})
	for _, set := range mcn.Status.PinnedImageSets {
		fmt.Printf("%s: %d of %d, %q\n", set.Name, set.CurrentGeneration, set.DesiredGeneration, set.LastFailedGenerationError)
	}
	// Output:
	// PinnedImageSetsProgressing True: node is prefetching images: worker-0
	// PinnedImageSetsDegraded True: One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.
	// release: 1 of 1, ""
	// workload: 0 of 3, "manifest unknown"
	// zone: 0 of 2, "node worker-0 is reporting OutOfDisk=True"
}

// A report of an invalid transition is rejected, and changes nothing.
func ExampleMonitor_GenerateAndApplyMachineConfigNode_rejected() {
	monitor := newMonitor(mcfgfake.NewClientset())
	report := func(status metav1.ConditionStatus) error {
		return monitor.GenerateAndApplyMachineConfigNode(context.Background(), phases.RebootedNode, "RebootedNode", "Rebooting", status)
	}

	fmt.Println(report(metav1.ConditionUnknown))
	err := report(metav1.ConditionFalse)

	var rejected *phases.TransitionError
	if errors.As(err, &rejected) {
		fmt.Printf("%s stays %s\n", rejected.Phase, rejected.From)
	}
	// Output:
	// <nil>
	// RebootedNode stays Unknown
}

func newMonitor(clientset *mcfgfake.Clientset) *upgrademonitor.Monitor {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	monitor, err := upgrademonitor.New(context.Background(), upgrademonitor.Config{
		Client:   clientset,
		NodeName: "worker-0",
		Node:     func() (*corev1.Node, error) { return node, nil },
	})
	if err != nil {
		fmt.Println(err)
	}
	return monitor
}

func show(clientset *mcfgfake.Clientset, types ...string) {
	mcn, err := clientset.MachineconfigurationV1().MachineConfigNodes().Get(context.Background(), "worker-0", metav1.GetOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range types {
		for _, c := range mcn.Status.Conditions {
			if c.Type == name {
				fmt.Printf("%s %s: %s\n", c.Type, c.Status, c.Message)
			}
		}
	}
}
