// Command image-mode takes a node in image mode from one OS image to another. The config stays; the
// images are annotations of the Node, and the phases are those of image mode.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/show"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	nodeName = "worker-0"
	config   = "rendered-worker-6c320f72"
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
	var node atomic.Pointer[corev1.Node] // in a daemon, the informer's view
	node.Store(newNode(oldImage, oldImage))
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:    client,
		NodeName:  nodeName,
		Node:      func() (*corev1.Node, error) { return node.Load(), nil },
		ImageMode: func() bool { return true }, // the feature gate ImageModeStatusReporting
	})
	if err != nil {
		return err
	}
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	wait, err := show.Changes(ctx, out, client, show.Update())
	if err != nil {
		return err
	}
	node.Store(newNode(oldImage, newImage))
	monitor.Report(ctx, phases.Updated, "Node worker-0 needs an update", metav1.ConditionFalse)
	monitor.Report(ctx, phases.UpdatePrepared, "Update Compatible", metav1.ConditionTrue)
	monitor.NotRequired(ctx, phases.Drained, "Drain not required")
	monitor.NotRequired(ctx, phases.AppliedFiles, "No files change")
	done := func(context.Context) error { return nil }
	if err := monitor.Track(ctx, phases.ImagePulledFromRegistry, "Pulling the image", done); err != nil {
		return err
	}
	// A phase of the other mode does nothing: call sites need no "if imageMode".
	monitor.Report(ctx, phases.AppliedFilesAndOS, "", metav1.ConditionUnknown)
	if err := monitor.Track(ctx, phases.AppliedOSImage, "Applying the image", done, upgrademonitor.CompletesParent()); err != nil {
		return err
	}
	node.Store(newNode(newImage, newImage)) // the node has rebooted
	monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	wait()
	mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "current image: %.48s…\n", mcn.Status.ConfigImage.CurrentImage)
	return nil
}

func newNode(current, desired string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: config,
		upgrademonitor.DesiredConfigAnnotation: config,
		upgrademonitor.CurrentImageAnnotation:  current,
		upgrademonitor.DesiredImageAnnotation:  desired,
	}}}
}
