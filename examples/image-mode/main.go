// Command image-mode reports the update of a node in image mode to another OS image. It prints the
// MachineConfigNode before the reboot and after the update. The config does not change. The Monitor
// reads the config and the image from annotations of the Node. The calls in update and complete are
// those of examples/daemon.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The annotations of the Node with the current and the desired config and image.
const (
	currentConfig = "machineconfiguration.openshift.io/currentConfig"
	desiredConfig = "machineconfiguration.openshift.io/desiredConfig"
	currentImage  = "machineconfiguration.openshift.io/currentImage"
	desiredImage  = "machineconfiguration.openshift.io/desiredImage"
)

var (
	oldImage = "registry.example.com/os@sha256:" + strings.Repeat("a", 64)
	newImage = "registry.example.com/os@sha256:" + strings.Repeat("b", 64)
)

func main() {
	if err := run(context.Background(), mcfgfake.NewClientset(), work{succeed, succeed, succeed}, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func succeed(context.Context) error { return nil }

func run(ctx context.Context, client mcfgclientset.Interface, w work, out io.Writer) error {
	var node atomic.Pointer[corev1.Node] // a real daemon uses the lister of an informer
	node.Store(newNode(oldImage, oldImage))
	monitor, err := upgrademonitor.New(ctx, upgrademonitor.Config{
		Client:    client,
		NodeName:  "worker-0",
		Node:      func() (*corev1.Node, error) { return node.Load(), nil },
		ImageMode: func() bool { return true }, // the feature gate ImageModeStatusReporting
	})
	if err != nil {
		return err
	}
	monitor.Report(ctx, phases.Updated, "Node is updated", metav1.ConditionTrue)

	node.Store(newNode(oldImage, newImage)) // the operator requests another image
	if err := update(ctx, monitor, w); err != nil {
		return err
	}
	if err := show(ctx, client, out); err != nil {
		return err
	}
	// A real daemon now calls Flush, and reboots the node.
	finish := func(ctx context.Context) error {
		// On a cluster, the drain controller reports Uncordoned.
		monitor.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
		node.Store(newNode(newImage, newImage))
		return nil
	}
	if err := complete(ctx, monitor, finish); err != nil {
		return err
	}
	return show(ctx, client, out)
}

func update(ctx context.Context, monitor *upgrademonitor.Monitor, w work) error {
	monitor.Report(ctx, phases.Updated, "Node needs an update", metav1.ConditionFalse)
	monitor.Report(ctx, phases.UpdatePrepared, "Update is compatible", metav1.ConditionTrue)
	// On a cluster, the drain controller reports Cordoned and Drained.
	monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Drained, "Drained node", metav1.ConditionTrue)
	// AppliedFilesAndOS does not exist in image mode, so Track only calls apply. Therefore the same daemon
	// works in both modes.
	err := monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", func(ctx context.Context) error {
		return apply(ctx, monitor, w)
	}, upgrademonitor.CompletesParent())
	if err != nil {
		return err
	}
	monitor.Report(ctx, phases.RebootedNode, "Update requires a reboot", metav1.ConditionUnknown)
	return nil
}

// work has the functions that do the work. pull and image are nil if the OS image does not change.
type work struct{ files, pull, image func(context.Context) error }

// apply reports the children of UpdateExecuted that exist only in image mode.
func apply(ctx context.Context, monitor *upgrademonitor.Monitor, w work) error {
	if w.image == nil {
		// first, because a child that an earlier attempt has left Unknown blocks the parent
		monitor.NotRequired(ctx, phases.ImagePulledFromRegistry, "The OS image does not change")
		monitor.NotRequired(ctx, phases.AppliedOSImage, "The OS image does not change")
		return monitor.Track(ctx, phases.AppliedFiles, "Applying files", w.files, upgrademonitor.CompletesParent())
	}
	if err := monitor.Track(ctx, phases.AppliedFiles, "Applying files", w.files); err != nil {
		return err
	}
	if err := monitor.Track(ctx, phases.ImagePulledFromRegistry, "Pulling the OS image", w.pull); err != nil {
		return err
	}
	return monitor.Track(ctx, phases.AppliedOSImage, "Applying the OS image", w.image, upgrademonitor.CompletesParent())
}

func complete(ctx context.Context, monitor *upgrademonitor.Monitor, finish func(context.Context) error) error {
	monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Resumed, "In desired config", metav1.ConditionTrue)
	if err := monitor.Track(ctx, phases.UpdateComplete, "Completing the update", finish); err != nil {
		return err
	}
	monitor.Report(ctx, phases.Updated, "Node is updated", metav1.ConditionTrue)
	return nil
}

func newNode(current, desired string) *corev1.Node {
	annotations := map[string]string{
		currentConfig: "rendered-worker-1",
		desiredConfig: "rendered-worker-1",
		currentImage:  current,
		desiredImage:  desired,
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", Annotations: annotations}}
}

// show prints the images of the node, and the phases that have run in the current update.
func show(ctx context.Context, client mcfgclientset.Interface, out io.Writer) error {
	mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(ctx, "worker-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\ncurrent image: %.48s…\n", mcn.Status.ConfigImage.CurrentImage)
	fmt.Fprintf(out, "desired image: %.48s…\n", mcn.Spec.ConfigImage.DesiredImage)
	for _, c := range mcn.Status.Conditions {
		if !conditions.IsReservedReason(c.Reason) && !conditions.HasUpdatePrefix(c.Message) {
			fmt.Fprintf(out, "%-23s %-7s %s\n", c.Type, c.Status, c.Message)
		}
	}
	return nil
}
