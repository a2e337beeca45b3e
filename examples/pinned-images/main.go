// Command pinned-images reports the two pinned image sets of a node. First the node pulls both sets,
// then one set fails, then the disk is full, and in the end both sets are done. The node is not in an
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
	notFound := errors.New("manifest unknown")
	for _, report := range []struct {
		sets    []upgrademonitor.PinnedImageSet // each report must have all sets
		failure error                           // concerns each set that is not done
	}{
		{sets: []upgrademonitor.PinnedImageSet{{Name: "release", Generation: 1}, {Name: "workload", Generation: 3}}},
		{sets: []upgrademonitor.PinnedImageSet{{Name: "release", Generation: 1, Done: true}, {Name: "workload", Generation: 3, Err: notFound}}},
		{
			sets:    []upgrademonitor.PinnedImageSet{{Name: "release", Generation: 1, Done: true}, {Name: "workload", Generation: 3}},
			failure: errors.New("node worker-0 is reporting OutOfDisk=True"),
		},
		{sets: []upgrademonitor.PinnedImageSet{{Name: "release", Generation: 1, Done: true}, {Name: "workload", Generation: 3, Done: true}}},
	} {
		monitor.ReportPinnedImageSets(ctx, report.sets, report.failure)
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
