package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// lastWord is how long a daemon that is being stopped waits for a report.
const lastWord = time.Second

// daemon updates its node, and reports each step. Its hooks are in daemon.go. The work that
// they stand for is pretended.
type daemon struct {
	options   options
	clientset mcfgclientset.Interface
	node      *node
	clock     clock.PassiveClock

	monitor *upgrademonitor.Monitor
	stop    func() // ends what start began
}

// start makes the Monitor, and writes in the background what cannot be written at once.
func (d *daemon) start(ctx context.Context) error {
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:    d.clientset,
		NodeName:  d.options.node,
		Node:      d.node.get, // a daemon would ask its informer's lister
		Pool:      func(*corev1.Node) (string, error) { return d.options.pool, nil },
		ImageMode: func() bool { return d.options.imageMode }, // a daemon would ask its feature gates
		Clock:     d.clock,                                    // a daemon leaves it out: the default is the real one
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { _ = monitor.Run(ctx) }) // nil, when ctx ends
	d.monitor, d.stop = monitor, func() { cancel(); background.Wait() }
	return nil
}

// settle reports a node that runs what it shall run. Its errors count: an API server that
// refuses the first report will not take the others.
func (d *daemon) settle(ctx context.Context) error {
	d.node.annotate(upgrademonitor.CurrentConfigAnnotation, d.options.from)
	d.node.annotate(upgrademonitor.DesiredConfigAnnotation, d.options.from)
	d.node.annotate(upgrademonitor.CurrentImageAnnotation, d.options.fromImage)
	d.node.annotate(upgrademonitor.DesiredImageAnnotation, d.options.fromImage)
	if err := d.monitor.GenerateAndApplyMachineConfigNodeSpec(ctx); err != nil {
		return err
	}
	return d.monitor.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated",
		fmt.Sprintf("Node %s Updated", d.options.node), metav1.ConditionTrue)
}

// report says how a phase goes. The update goes on whatever becomes of the report.
func (d *daemon) report(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...upgrademonitor.ReportOption) {
	if ctx.Err() != nil {
		// A daemon that is being stopped says what has happened, too.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastWord)
		defer cancel()
	}
	d.log(ctx, d.monitor.GenerateAndApplyMachineConfigNode(ctx, phase, reason, message, status, opts...))
}

// log is for errors of reports. An ErrPending is none to worry about: Run writes it.
func (d *daemon) log(ctx context.Context, err error) {
	if err != nil && !errors.Is(err, upgrademonitor.ErrPending) {
		klog.FromContext(ctx).Error(err, "Could not report on the update", "node", d.options.node)
	}
}

// work does the work of a phase. Where it fails, the object says why, and the phase stays
// Unknown until it is tried again.
func (d *daemon) work(ctx context.Context, phase phases.Phase, reason, doing string) error {
	err := d.pretend(ctx, phase)
	if err != nil {
		d.report(ctx, phase, reason, doing+": "+err.Error(), metav1.ConditionUnknown)
	}
	return at(phase, err)
}

// pretend takes its time, and fails where it was told to.
func (d *daemon) pretend(ctx context.Context, phase phases.Phase) error {
	select {
	case <-ctx.Done():
	case <-time.After(d.options.stepDelay):
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case phase == d.options.failAt:
		return errors.New("told to fail by --fail-at")
	default:
		return nil
	}
}

// at says in which phase an error came up.
func at(phase phases.Phase, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", phase, err)
}
