// Command drain-controller cordons and drains a few nodes, as the machine-config-controller does, and reports
// that on the MachineConfigNode of each. The daemons of the nodes report on the same objects.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	client := mcfgfake.NewClientset()
	factory := mcfginformers.NewSharedInformerFactory(client, 0)
	lister := factory.Machineconfiguration().V1().MachineConfigNodes().Lister() // one for all objects
	monitors, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: client, Lister: lister}, getNode)
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	go func() { _ = monitors.Run(ctx) }() // writes what could not be written at once

	for _, name := range []string{"worker-0", "worker-1", "worker-2"} {
		if err := cordonAndDrain(ctx, monitors, name); err != nil {
			fmt.Fprintf(out, "%s: %v, the next sync tries again\n", name, err)
		}
	}
	if err := printDrained(ctx, client, out); err != nil {
		return err
	}
	fmt.Fprintln(out, "worker-1 does not have to be drained any more")
	monitor, err := monitors.Get("worker-1")
	if err != nil {
		return err
	}
	monitor.NotRequired(ctx, phases.Drained, "Drain not required") // True: its drain has started
	if err := printDrained(ctx, client, out); err != nil {
		return err
	}
	return monitors.Flush(ctx) // on shutdown
}

func cordonAndDrain(ctx context.Context, monitors *upgrademonitor.Monitors, name string) error {
	monitor, err := monitors.Get(name)
	if err != nil {
		return err
	}
	monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
	drain := func(context.Context) error {
		if name == "worker-1" {
			return errors.New("pod web-0 cannot be evicted")
		}
		return nil
	}
	return monitor.Track(ctx, phases.Drained, "Draining node", drain, upgrademonitor.DoneMessage("Drained node"))
}

func printDrained(ctx context.Context, client mcfgclientset.Interface, out io.Writer) error {
	list, err := client.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, mcn := range list.Items {
		c := conditions.Find(mcn.Status.Conditions, phases.Drained)
		fmt.Fprintf(out, "%s  %s %-7s %s\n", mcn.Name, c.Type, c.Status, c.Message)
	}
	return nil
}

// getNode is the Get of a lister of Nodes.
func getNode(name string) (*corev1.Node, error) {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: "rendered-worker-1",
		upgrademonitor.DesiredConfigAnnotation: "rendered-worker-2",
	}}}, nil
}
