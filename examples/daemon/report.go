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

// lastReportTimeout limits a report of a daemon that is being stopped.
const lastReportTimeout = time.Second

// daemon updates its node, and reports each step. Its hooks are in daemon.go. Their work is
// simulated.
type daemon struct {
	options   options
	clientset mcfgclientset.Interface
	node      *node
	clock     clock.PassiveClock

	monitor *upgrademonitor.Monitor
	stop    func() // stops what start has started
}

// start creates the Monitor, and runs its retries in the background.
func (d *daemon) start(ctx context.Context) error {
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:    d.clientset,
		NodeName:  d.options.node,
		Node:      d.node.get, // in a daemon: the lister of its informer
		Pool:      func(*corev1.Node) (string, error) { return d.options.pool, nil },
		ImageMode: func() bool { return d.options.imageMode }, // in a daemon: its feature gates
		Clock:     d.clock,                                    // not in a daemon: the default is the real clock
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

// reportUpdated reports a node that is up to date. Its errors count: an API server that denies the first
// report will deny the others too.
func (d *daemon) reportUpdated(ctx context.Context) error {
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

// report reports a phase. A failed report does not fail the update.
func (d *daemon) report(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...upgrademonitor.ReportOption) {
	if ctx.Err() != nil {
		// A daemon that is being stopped reports its last step too.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastReportTimeout)
		defer cancel()
	}
	d.log(ctx, d.monitor.GenerateAndApplyMachineConfigNode(ctx, phase, reason, message, status, opts...))
}

// log logs an error of a report, except ErrPending: Run retries that one.
func (d *daemon) log(ctx context.Context, err error) {
	if err != nil && !errors.Is(err, upgrademonitor.ErrPending) {
		klog.FromContext(ctx).Error(err, "Failed to report on the update", "node", d.options.node)
	}
}

// work does the work of a phase. If it fails, it reports the cause, and the phase stays Unknown
// until a retry.
func (d *daemon) work(ctx context.Context, phase phases.Phase, reason, doing string) error {
	err := d.simulate(ctx, phase)
	if err != nil {
		d.report(ctx, phase, reason, doing+": "+err.Error(), metav1.ConditionUnknown)
	}
	return at(phase, err)
}

// simulate waits, and fails at the phase of --fail-at.
func (d *daemon) simulate(ctx context.Context, phase phases.Phase) error {
	select {
	case <-ctx.Done():
	case <-time.After(d.options.stepDelay):
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case phase == d.options.failAt:
		return errors.New("simulated failure of --fail-at")
	default:
		return nil
	}
}

// at adds the phase to an error.
func at(phase phases.Phase, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", phase, err)
}
