package main

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// daemon reports the updates of one node. Its functions do the work of an update. drain and reboot are nil
// if the update does not need them. restart is only called without a reboot.
type daemon struct {
	monitor *upgrademonitor.Monitor

	validate, drain, apply, restart, reboot, finish func(context.Context) error
}

// newDaemon creates the Monitor, one for the life of the process. ctx may end on SIGTERM. Client, NodeName
// and Node are required. Also set Lister if the drain controller writes the object, too.
func newDaemon(ctx context.Context, config upgrademonitor.Config) (*daemon, error) {
	monitor, err := upgrademonitor.New(ctx, config)
	return &daemon{monitor: monitor}, err
}

// nodeChanged is called when the informer of Nodes has a new desired config. So the spec shows an order at once, even
// while a step runs.
func (d *daemon) nodeChanged(ctx context.Context) {
	go func() { _ = d.monitor.GenerateAndApplyMachineConfigNodeSpec(ctx) }() // the Monitor logs and retries a failure
}

// update is called while the node does not run its desired config, until it succeeds. ctx must not end on
// SIGTERM, because a report needs a ctx that has not ended: see context.WithoutCancel.
func (d *daemon) update(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			d.monitor.ReportDegraded(ctx, err)
		}
	}()
	d.monitor.Report(ctx, phases.Updated, "Node needs an update", metav1.ConditionFalse) // starts an update
	if err := d.validate(ctx); err != nil {
		return d.failed(ctx, phases.UpdatePrepared, "Validating the update", err)
	}
	d.monitor.Report(ctx, phases.UpdatePrepared, "Update is compatible", metav1.ConditionTrue)
	if d.drain == nil {
		d.monitor.NotRequired(ctx, phases.Drained, "Drain is not required")
	} else {
		d.flush(ctx)                         // the start, without which the drain controller's reports are rejected
		if err := d.drain(ctx); err != nil { // the drain controller reports Cordoned and Drained
			return err
		}
	}
	// Track reports Unknown, and calls apply. Then Track reports True, or Unknown with the error of apply.
	if err := d.monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", d.apply,
		upgrademonitor.CompletesParent()); err != nil {
		return err
	}
	if d.reboot == nil {
		if err := d.monitor.Track(ctx, phases.UpdatePostActionComplete, "Restarting services", d.restart); err != nil {
			return err
		}
		return d.complete(ctx, false)
	}
	// nil: written. ErrPending: accepted, and written by flush. Another error: rejected, so no watcher sees the reboot.
	if err := d.monitor.GenerateAndApplyMachineConfigNode(ctx, phases.RebootedNode, "RebootedNode", "Update requires a reboot",
		metav1.ConditionUnknown); err != nil && !errors.Is(err, upgrademonitor.ErrPending) {
		klog.FromContext(ctx).Error(err, "Rebooting without a report")
	}
	d.flush(ctx)
	if err := d.reboot(ctx); err != nil {
		return d.failed(ctx, phases.RebootedNode, "Rebooting the node", err)
	}
	return nil // report nothing more until the node is down
}

// complete is called while the node runs its desired config, until it succeeds: when a process starts, and after
// an order was withdrawn. hasRebooted is true if the node has rebooted for an update that is not complete yet.
func (d *daemon) complete(ctx context.Context, hasRebooted bool) (err error) {
	defer func() { d.monitor.ReportDegraded(ctx, err) }() // nil: the node is not degraded
	if hasRebooted {
		d.monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	}
	d.monitor.Report(ctx, phases.Resumed, "In desired config", metav1.ConditionTrue)
	// finish asks the drain controller to uncordon the node, and sets the annotation currentConfig. It returns when
	// Config.Node shows the annotation, because Updated=True copies it.
	if err := d.monitor.Track(ctx, phases.UpdateComplete, "Completing the update", d.finish); err != nil {
		return err
	}
	d.monitor.Report(ctx, phases.Updated, "Node is updated", metav1.ConditionTrue) // ends the update
	return nil
}

// failed reports a step that has failed, as Track does.
func (d *daemon) failed(ctx context.Context, phase phases.Phase, step string, err error) error {
	d.monitor.Report(ctx, phase, "Error: "+step+": "+err.Error(), metav1.ConditionUnknown)
	return err
}

// flush writes the queued reports. With the timeout, an outage does not prevent the update. Also call it on
// SIGTERM, after update or complete has returned.
func (d *daemon) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_ = d.monitor.Flush(ctx) // the Monitor logs the cause of a failure
}
