// Command daemon takes a node through an update, as a machine-config-daemon does, and prints what
// the MachineConfigNode shows. Without --kubeconfig it runs against a fake clientset, in memory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/examples/internal/show"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	nodeName  = "worker-0"
	oldConfig = "rendered-worker-6c320f72"
	newConfig = "rendered-worker-ceedbbb3"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of a kubeconfig: reports on a cluster, a test cluster please")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, kubeconfig string) error {
	var client mcfgclientset.Interface = mcfgfake.NewClientset()
	if kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return err
		}
		if client, err = mcfgclientset.NewForConfig(config); err != nil {
			return err
		}
	}
	var node atomic.Pointer[corev1.Node] // in a daemon, the informer's view
	node.Store(newNode(oldConfig, oldConfig))
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   client,
		NodeName: nodeName,
		Node:     func() (*corev1.Node, error) { return node.Load(), nil },
		Pool:     func(*corev1.Node) (string, error) { return "worker", nil },
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { _ = monitor.Run(ctx) }() // writes what could not be written at once

	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	wait, err := show.Changes(ctx, out, client, show.Update())
	if err != nil {
		return err
	}
	node.Store(newNode(oldConfig, newConfig)) // the operator wants another config
	for err = update(ctx, monitor); err != nil; err = update(ctx, monitor) {
		monitor.ReportDegraded(ctx, err) // and the daemon tries again
	}
	if err := monitor.Flush(ctx); err != nil { // before a reboot: what is pending lives in memory
		return err
	}
	node.Store(newNode(newConfig, newConfig)) // the node has rebooted
	monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Resumed, "In desired config "+newConfig, metav1.ConditionTrue)
	monitor.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
	monitor.Report(ctx, phases.Updated, "Node worker-0 Updated", metav1.ConditionTrue)
	wait()
	return monitor.Flush(ctx)
}

// update is one attempt. Reporting never changes what it returns.
func update(ctx context.Context, monitor *upgrademonitor.Monitor) error {
	monitor.Report(ctx, phases.Updated, "Node worker-0 needs an update", metav1.ConditionFalse)
	monitor.Report(ctx, phases.UpdatePrepared, "Update Compatible. Drain Required: true", metav1.ConditionTrue)
	monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
	if err := monitor.Track(ctx, phases.Drained, "Draining node", drain, upgrademonitor.DoneMessage("Drained node")); err != nil {
		return err
	}
	if err := monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", apply, upgrademonitor.CompletesParent()); err != nil {
		return err
	}
	monitor.Report(ctx, phases.UpdatePostActionComplete, "Node will reboot into "+newConfig, metav1.ConditionTrue)
	monitor.Report(ctx, phases.RebootedNode, "Upgrade requires a reboot", metav1.ConditionUnknown)
	return nil
}

var attempts int

// drain fails at the first attempt.
func drain(context.Context) error {
	if attempts++; attempts == 1 {
		return errors.New("pod web-0 cannot be evicted")
	}
	return nil
}

func apply(context.Context) error { return nil }

func newNode(current, desired string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "1a01a163", Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: current,
		upgrademonitor.DesiredConfigAnnotation: desired,
	}}}
}
