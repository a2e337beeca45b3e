package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// inMemory updates a Node in memory, and prints what a client with a watch sees. The first drain fails.
// The clock is simulated.
func inMemory(ctx context.Context, out io.Writer) error {
	client := mcfgfake.NewClientset()
	clock := testingclock.NewFakePassiveClock(time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC))
	takes := func(duration time.Duration, err error) func(context.Context) error {
		return func(context.Context) error {
			clock.SetTime(clock.Now().Add(duration))
			return err
		}
	}
	node := newNode("rendered-worker-1", "rendered-worker-1")
	newProcess := func() (*daemon, error) {
		d, err := newDaemon(ctx, upgrademonitor.Config{
			Client: client, NodeName: node.Name, Clock: clock, Node: func() (*corev1.Node, error) { return node, nil },
		})
		if err != nil {
			return nil, err
		}
		d.validate, d.apply, d.reboot = takes(time.Second, nil), takes(70*time.Second, nil), takes(4*time.Minute, nil)
		d.finish = func(ctx context.Context) error {
			// On a cluster, the drain controller reports Cordoned, Drained and Uncordoned.
			d.monitor.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, upgrademonitor.CompletesParent())
			desired := node.Annotations[desiredConfig]
			node = newNode(desired, desired)
			return takes(2*time.Second, nil)(ctx)
		}
		return d, nil
	}
	d, err := newProcess()
	if err != nil {
		return err
	}
	if err := d.complete(ctx, false); err != nil { // the node reports for the first time
		return err
	}
	mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(ctx, node.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	w, err := client.MachineconfigurationV1().MachineConfigNodes().Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	node = newNode("rendered-worker-1", "rendered-worker-2")
	eviction := takes(90*time.Second, errors.New("pod web-0 cannot be evicted"))
	d.drain = func(ctx context.Context) error {
		d.monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
		return d.monitor.Track(ctx, phases.Drained, "Draining node", eviction, upgrademonitor.DoneMessage("Drained node"))
	}
	if err := d.update(ctx); err == nil {
		return errors.New("the drain has not failed")
	}
	eviction = takes(30*time.Second, nil)
	if err := d.update(ctx); err != nil {
		return err
	}
	if d, err = newProcess(); err != nil {
		return err
	}
	if err := d.complete(ctx, true); err != nil {
		return err
	}
	w.Stop()
	printChanges(out, mcn, w)
	return nil
}

func newNode(current, desired string) *corev1.Node {
	annotations := map[string]string{currentConfig: current, desiredConfig: desired}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1a01a163", Annotations: annotations}}
}

// printChanges prints each transition: its time, the phase, both statuses and the message. It also prints
// each error of a step.
func printChanges(out io.Writer, mcn *mcfgv1.MachineConfigNode, w watch.Interface) {
	before := map[string]metav1.Condition{}
	for _, c := range mcn.Status.Conditions {
		before[c.Type] = c
	}
	for event := range w.ResultChan() {
		for _, c := range event.Object.(*mcfgv1.MachineConfigNode).Status.Conditions {
			old := before[c.Type]
			before[c.Type] = c
			switch {
			case old.Status != c.Status:
				time := c.LastTransitionTime.UTC().Format(time.TimeOnly)
				fmt.Fprintf(out, "%s  %-17s %-7s → %-7s  %s\n", time, c.Type, old.Status, c.Status, c.Message)
			case old.Message != c.Message && strings.HasPrefix(c.Message, "Error: "):
				fmt.Fprintf(out, "%8s  %-17s %17s  %s\n", "", c.Type, c.Status, c.Message)
			}
		}
	}
}
