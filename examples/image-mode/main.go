// Command image-mode reports the update of a node in image mode to another OS image. It prints the
// MachineConfigNode before the reboot and after the update. The config does not change. The Monitor
// reads the config and the image from annotations of the Node.
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
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	client := mcfgfake.NewClientset()
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
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)

	node.Store(newNode(oldImage, newImage)) // the operator requests another image
	monitor.Report(ctx, phases.Updated, "Node worker-0 needs an update", metav1.ConditionFalse)
	monitor.Report(ctx, phases.UpdatePrepared, "Update Compatible", metav1.ConditionTrue)
	monitor.NotRequired(ctx, phases.Drained, "Drain not required")
	monitor.NotRequired(ctx, phases.AppliedFiles, "No files change")
	pull := func(context.Context) error { return nil }
	if err := monitor.Track(ctx, phases.ImagePulledFromRegistry, "Pulling the image", pull); err != nil {
		return err
	}
	// A phase of standard mode is ignored in image mode, so call sites need no "if imageMode".
	monitor.Report(ctx, phases.AppliedFilesAndOS, "Applied files and OS", metav1.ConditionTrue)
	monitor.Report(ctx, phases.AppliedOSImage, "Applied the image", metav1.ConditionTrue, upgrademonitor.CompletesParent())
	monitor.Report(ctx, phases.RebootedNode, "Upgrade requires a reboot", metav1.ConditionUnknown)
	if err := show(ctx, client, out); err != nil {
		return err
	}

	// A real daemon now calls Flush, and reboots the node.
	node.Store(newNode(newImage, newImage))
	monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	return show(ctx, client, out)
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

// show prints the current image of the node, and the phases that have run in the current update.
func show(ctx context.Context, client mcfgclientset.Interface, out io.Writer) error {
	mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(ctx, "worker-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\ncurrent image: %.48s…\n", mcn.Status.ConfigImage.CurrentImage)
	for _, c := range mcn.Status.Conditions {
		if !conditions.IsReservedReason(c.Reason) && !conditions.HasUpdatePrefix(c.Message) {
			fmt.Fprintf(out, "%-23s %-7s %s\n", c.Type, c.Status, c.Message)
		}
	}
	return nil
}
