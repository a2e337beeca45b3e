package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// daemon stands in for the daemon of a node. It reports, and leaves the spec of its object to
// the operator. See examples/daemon for one that tells why it reports what.
type daemon struct {
	world   *world
	node    string
	step    time.Duration // how long each piece of work takes
	fails   bool          // at the drain
	changed chan struct{}

	monitor *upgrademonitor.Monitor
	stop    func() // ends what start began
}

// run updates the node whenever it is to have another config, until ctx ends or an update
// fails.
func (d *daemon) run(ctx context.Context) error {
	d.changed = d.world.listen()
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { d.stop() }()
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.node), metav1.ConditionTrue)
	for {
		node, err := d.await(ctx, func(node *corev1.Node) bool { return desired(node) != current(node) })
		if err != nil {
			return nil // ctx has ended
		}
		if err := d.update(ctx, desired(node)); err != nil {
			if ctx.Err() == nil {
				d.log(ctx, d.monitor.ReportDegraded(ctx, err))
			}
			return nil
		}
	}
}

// start is the beginning of a life of the daemon.
func (d *daemon) start(ctx context.Context) error {
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   d.world.client,
		NodeName: d.node,
		Node:     func() (*corev1.Node, error) { return d.world.core.Core().V1().Nodes().Lister().Get(d.node) },
		Pool:     d.pool,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { _ = monitor.Run(ctx) })
	d.monitor, d.stop = monitor, func() { cancel(); background.Wait() }
	return nil
}

// update takes the node through a standard update with a reboot.
func (d *daemon) update(ctx context.Context, config string) error {
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s needs an update", d.node), metav1.ConditionFalse)
	for _, s := range []struct {
		phase      phases.Phase
		reason     string
		begin, end string
		work       func(context.Context) error
		opts       []upgrademonitor.ReportOption // at the end
	}{
		{phases.UpdatePrepared, "UpdatePrepared", "Checking the config", "Update Compatible. Post Cfg Actions: [] Drain Required: true", d.work, nil},
		{phases.Cordoned, "UpdateExecutedCordoned", "Cordoning node", "Cordoned node", d.cordon(true), nil},
		{phases.Drained, "UpdateExecutedDrained", "Draining node", "Drained node", d.drain, nil},
		{phases.AppliedFilesAndOS, "UpdateExecutedAppliedFilesAndOS", "Applying files and new OS config to node", "Applied files and new OS config to node", d.work,
			[]upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}},
		{phases.RebootedNode, "RebootedNode", "Node will reboot into config " + config, "Node has rebooted into config " + config, d.reboot, nil},
		{phases.Resumed, "Resumed", "Resuming normal operations", "In desired config " + config, d.work, nil},
		{phases.Uncordoned, "UpdateCompleteUncordoned", "Uncordoning node", "Uncordoned node", d.cordon(false),
			[]upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}},
	} {
		d.report(ctx, s.phase, s.reason, s.begin, metav1.ConditionUnknown)
		if err := s.work(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.phase, err)
		}
		d.report(ctx, s.phase, s.reason, s.end, metav1.ConditionTrue, s.opts...)
	}
	if err := d.patch(ctx, `{"metadata":{"annotations":{%q:%q}}}`, upgrademonitor.CurrentConfigAnnotation, config); err != nil {
		return err
	}
	d.log(ctx, d.monitor.ReportDegraded(ctx, nil))
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.node), metav1.ConditionTrue)
	return nil
}

// work takes its time.
func (d *daemon) work(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d.step):
		return nil
	}
}

func (d *daemon) drain(ctx context.Context) error {
	if d.fails {
		return errors.New("told to fail by --fail-node")
	}
	return d.work(ctx)
}

func (d *daemon) cordon(unschedulable bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return d.patch(ctx, `{"spec":{"unschedulable":%t}}`, unschedulable)
	}
}

// reboot begins another life of the daemon: its Monitor goes on from what the object shows.
func (d *daemon) reboot(ctx context.Context) error {
	d.log(ctx, d.monitor.Flush(ctx))
	if err := d.work(ctx); err != nil {
		return err
	}
	d.stop()
	return d.start(ctx)
}

func (d *daemon) report(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...upgrademonitor.ReportOption) {
	d.log(ctx, d.monitor.GenerateAndApplyMachineConfigNode(ctx, phase, reason, message, status, opts...))
}

// log is for errors of reports, of which an ErrPending is none to worry about.
func (d *daemon) log(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, upgrademonitor.ErrPending) {
		klog.FromContext(ctx).Error(err, "Could not report on the update", "node", d.node)
	}
}
