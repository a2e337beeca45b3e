// Command pinned-images reports the two pinned image sets of a node three times. First the node pulls
// both sets, then one set has failed, and in the end both sets are done. The node is not in an
// update.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const nodeName = "worker-0"

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	client := mcfgfake.NewClientset()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
	monitor, err := upgrademonitor.New(ctx, upgrademonitor.Config{
		Client:   client,
		NodeName: nodeName,
		Node:     func() (*corev1.Node, error) { return node, nil },
	})
	if err != nil {
		return err
	}
	noSpace := errors.New("no space left on device")
	for _, sets := range [][]upgrademonitor.PinnedImageSet{
		{{Name: "release", Generation: 1}, {Name: "workload", Generation: 3}},
		{{Name: "release", Generation: 1, Done: true}, {Name: "workload", Generation: 3, Err: noSpace}},
		{{Name: "release", Generation: 1, Done: true}, {Name: "workload", Generation: 3, Done: true}},
	} {
		monitor.ReportPinnedImageSets(ctx, sets, nil) // each report must have all sets
		mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(ctx, nodeName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, p := range []phases.Phase{phases.PinnedImageSetsProgressing, phases.PinnedImageSetsDegraded} {
			c := conditions.Find(mcn.Status.Conditions, p)
			fmt.Fprintf(out, "%-27s %-6s %s\n", c.Type, c.Status, c.Message)
		}
		for _, set := range mcn.Status.PinnedImageSets {
			fmt.Fprintf(out, "  %-9s generation %d of %d  %s\n",
				set.Name, set.CurrentGeneration, set.DesiredGeneration, set.LastFailedGenerationError)
		}
	}
	return nil
}
