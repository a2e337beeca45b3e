// Command daemon takes a node through one update, as the machine-config-daemon does, and prints each change
// of a condition of its MachineConfigNode. Without --kubeconfig it runs on a fake clientset, in memory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig of a test cluster")
	flag.Parse()
	if err := run(context.Background(), *kubeconfig, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string, out io.Writer) error {
	var client mcfgclientset.Interface = mcfgfake.NewClientset()
	if kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return err
		}
		client = mcfgclientset.NewForConfigOrDie(config)
	}
	var node atomic.Pointer[corev1.Node] // in a daemon, the lister of an informer
	node.Store(newNode("rendered-worker-1", "rendered-worker-1"))
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   client,
		NodeName: "worker-0",
		Node:     func() (*corev1.Node, error) { return node.Load(), nil },
	})
	if err != nil {
		return err
	}
	go func() { _ = monitor.Run(ctx) }() // writes what could not be written at once
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	watcher, err := client.MachineconfigurationV1().MachineConfigNodes().Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: "worker-0"}))
	if err != nil {
		return err
	}

	node.Store(newNode("rendered-worker-1", "rendered-worker-2")) // the operator wants another config
	for _, pods := range [][]string{{"web-0"}, nil} {             // two attempts: the pod is gone in the second
		monitor.ReportDegraded(ctx, update(ctx, monitor, pods))
	}
	if err := monitor.Flush(ctx); err != nil { // before the reboot: pending reports are in memory only
		return err
	}
	node.Store(newNode("rendered-worker-2", "rendered-worker-2")) // the node has rebooted
	monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	return printChanges(out, watcher.ResultChan())
}

// update is one attempt. Reporting never changes its result.
func update(ctx context.Context, monitor *upgrademonitor.Monitor, pods []string) error {
	monitor.Report(ctx, phases.Updated, "Node worker-0 needs an update", metav1.ConditionFalse)
	monitor.Report(ctx, phases.UpdatePrepared, "Update Compatible. Drain Required: true", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
	drain := func(context.Context) error { return errors.New("pod web-0 cannot be evicted") }
	if len(pods) == 0 {
		monitor.NotRequired(ctx, phases.Drained, "No pods to evict")
	} else if err := monitor.Track(ctx, phases.Drained, "Draining node", drain); err != nil {
		return err
	}
	monitor.Report(ctx, phases.AppliedFilesAndOS, "Applied files and OS", metav1.ConditionTrue, upgrademonitor.CompletesParent())
	monitor.Report(ctx, phases.RebootedNode, "Upgrade requires a reboot", metav1.ConditionUnknown)
	return nil
}

func newNode(current, desired string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1a01a163", Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: current,
		upgrademonitor.DesiredConfigAnnotation: desired,
	}}}
}

// printChanges prints the conditions that change, except for phases that have not started or are reset.
func printChanges(out io.Writer, events <-chan watch.Event) error {
	shown := map[string]string{}
	for event := range events {
		mcn, ok := event.Object.(*mcfgv1.MachineConfigNode)
		if !ok {
			return fmt.Errorf("watch: %v", event.Object)
		}
		for _, c := range mcn.Status.Conditions {
			line := fmt.Sprintf("%-24s %-7s %s", c.Type, c.Status, c.Message)
			if line == shown[c.Type] || c.Reason == conditions.ReasonNotYetOccurred || conditions.HasUpdatePrefix(c.Message) {
				continue
			}
			fmt.Fprintln(out, c.LastTransitionTime.UTC().Format("15:04:05"), line)
			if c.Type == string(phases.Updated) && c.Status == metav1.ConditionTrue && shown[c.Type] != "" {
				return nil
			}
			shown[c.Type] = line
		}
	}
	return nil
}
