// Command drain-controller cordons and drains a few nodes, as the machine-config-controller does, and
// reports that on the MachineConfigNode of each, beside the daemons that report on the same objects.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	client := mcfgfake.NewClientset()
	factory := mcfginformers.NewSharedInformerFactory(client, 0)
	lister := factory.Machineconfiguration().V1().MachineConfigNodes().Lister() // one for all objects
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)

	monitors, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: client, Lister: lister}, getNode)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { _ = monitors.Run(ctx) }) // writes what could not be written at once

	for _, name := range []string{"worker-0", "worker-1", "worker-2"} {
		monitors.Report(ctx, name, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
		monitor, err := monitors.Get(name)
		if err != nil {
			return err
		}
		err = monitor.Track(ctx, phases.Drained, "Draining node", func(context.Context) error { return drain(name) })
		if err != nil {
			fmt.Fprintf(out, "%s: %v, the next sync tries again\n", name, err)
		}
	}
	// The second node does not have to be drained any more. Its drain has failed: it is done now.
	monitor, err := monitors.Get("worker-1")
	if err != nil {
		return err
	}
	monitor.NotRequired(ctx, phases.Drained, "Drain not required")
	if err := monitors.Flush(ctx); err != nil { // on shutdown, or when the lease is lost
		return err
	}
	list, err := client.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, mcn := range list.Items {
		for _, c := range mcn.Status.Conditions {
			if c.Type == string(phases.Drained) {
				fmt.Fprintf(out, "%s  %s %-8s %s\n", mcn.Name, c.Type, c.Status, c.Message)
			}
		}
	}
	return nil
}

// getNode is the Get of a lister of Nodes.
func getNode(name string) (*corev1.Node, error) {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: "rendered-worker-6c320f72",
		upgrademonitor.DesiredConfigAnnotation: "rendered-worker-ceedbbb3",
	}}}, nil
}

func drain(node string) error {
	if node == "worker-1" {
		return errors.New("pod web-0 cannot be evicted")
	}
	return nil
}
