package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// flushTimeout limits how long a reboot waits for pending reports.
const flushTimeout = 30 * time.Second

// update updates the node to the new config, and in image mode to the new image.
func (d *daemon) update(ctx context.Context) error {
	apply := d.apply
	if d.options.imageMode {
		apply = d.applyInImageMode
	}
	hooks := []func(context.Context) error{
		d.pin, d.prepare, d.cordon, d.drain, apply, d.reboot, d.resume, d.uncordon, d.finish,
	}
	if d.options.rebootless {
		hooks = []func(context.Context) error{
			d.pin, d.prepare, d.skipDrain, apply, d.postAction, d.resume, d.uncordon, d.finish,
		}
	}
	for _, hook := range hooks {
		if err := hook(ctx); err != nil {
			if ctx.Err() == nil { // a node whose daemon is stopped is not degraded
				d.log(ctx, d.monitor.ReportDegraded(ctx, err))
			}
			return fmt.Errorf("the update of node %s failed at %w", d.options.node, err)
		}
	}
	return nil
}

// prepare starts the update: the desired config or image is not the current one.
func (d *daemon) prepare(ctx context.Context) error {
	d.node.annotate(upgrademonitor.DesiredConfigAnnotation, d.options.to)
	d.node.annotate(upgrademonitor.DesiredImageAnnotation, d.options.toImage)
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s needs an update", d.options.node), metav1.ConditionFalse)

	if err := d.work(ctx, phases.UpdatePrepared, "UpdatePrepared", "Checking the config"); err != nil {
		return err
	}
	actions := "[] Drain Required: true"
	if d.options.rebootless {
		actions = "[None] Drain Required: false"
	}
	d.report(ctx, phases.UpdatePrepared, "UpdatePrepared", "Update Compatible. Post Cfg Actions: "+actions, metav1.ConditionTrue)
	d.log(ctx, d.monitor.GenerateAndApplyMachineConfigNodeSpec(ctx))
	return nil
}

// cordon reports a short step as done only. The library publishes the Unknown in between.
func (d *daemon) cordon(ctx context.Context) error {
	if err := d.work(ctx, phases.Cordoned, "UpdateExecutedCordoned", "Cordoning node"); err != nil {
		return err
	}
	d.node.cordon(true)
	d.report(ctx, phases.Cordoned, "UpdateExecutedCordoned", "Cordoned node. The node is reporting Unschedulable = true", metav1.ConditionTrue)
	return nil
}

// drain uses Track, which reports the start, the end or the failure of one function. Its message
// fits all three.
func (d *daemon) drain(ctx context.Context) error {
	message := "Drain of the node, for the desired drainer drain-" + d.options.to
	err := d.monitor.Track(ctx, phases.Drained, message, func(ctx context.Context) error {
		return d.simulate(ctx, phases.Drained)
	})
	return at(phases.Drained, err)
}

// skipDrain reports why this update has no drain.
func (d *daemon) skipDrain(ctx context.Context) error {
	d.report(ctx, phases.Drained, "UpdateExecutedDrained", "Drain not required for this update", metav1.ConditionFalse)
	return nil
}

// apply is the last child of UpdateExecuted, and completes it.
func (d *daemon) apply(ctx context.Context) error {
	const reason = "UpdateExecutedAppliedFilesAndOS"
	message := "Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update"
	d.report(ctx, phases.AppliedFilesAndOS, reason, message, metav1.ConditionUnknown,
		upgrademonitor.ParentMessage("Updating the Files and OS on disk as a part of the in progress phase"))
	if err := d.work(ctx, phases.AppliedFilesAndOS, reason, message); err != nil {
		return err
	}
	d.report(ctx, phases.AppliedFilesAndOS, reason, "Applied files and new OS config to node", metav1.ConditionTrue,
		upgrademonitor.CompletesParent(), upgrademonitor.ParentMessage("Updated the Files and OS on disk"))
	return nil
}

// reboot ends the process, and a new one continues.
func (d *daemon) reboot(ctx context.Context) error {
	message := "Node will reboot into " + d.options.target()
	d.report(ctx, phases.RebootedNode, "RebootedNode", message, metav1.ConditionUnknown)

	// Pending reports are lost with the process. Wait for them, but with a limit: an API server
	// that does not answer must not block the update.
	flush, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	d.log(ctx, d.monitor.Flush(flush))
	if err := d.work(ctx, phases.RebootedNode, "RebootedNode", message); err != nil {
		return err
	}
	d.stop()

	// After the reboot: a new Monitor continues with the state of the object.
	if err := d.start(ctx); err != nil {
		return err
	}
	d.report(ctx, phases.RebootedNode, "RebootedNode", "Node has rebooted into "+d.options.target(), metav1.ConditionTrue)
	return nil
}

// postAction takes the place of the reboot in an update without one.
func (d *daemon) postAction(ctx context.Context) error {
	if err := d.work(ctx, phases.UpdatePostActionComplete, "None", "Running the post action"); err != nil {
		return err
	}
	d.report(ctx, phases.UpdatePostActionComplete, "None", "Changes do not require a reboot", metav1.ConditionTrue)
	return nil
}

// resume returns to normal operations.
func (d *daemon) resume(ctx context.Context) error {
	if err := d.work(ctx, phases.Resumed, "Resumed", "Resuming normal operations"); err != nil {
		return err
	}
	d.report(ctx, phases.Resumed, "Resumed", "In desired config "+d.options.to+". Resumed normal operations.", metav1.ConditionTrue)
	return nil
}

// uncordon is the only child of UpdateComplete, and completes it.
func (d *daemon) uncordon(ctx context.Context) error {
	if err := d.work(ctx, phases.Uncordoned, "UpdateCompleteUncordoned", "Uncordoning node"); err != nil {
		return err
	}
	d.node.cordon(false)
	d.report(ctx, phases.Uncordoned, "UpdateCompleteUncordoned", "UnCordoned node. The node is reporting Unschedulable = false", metav1.ConditionTrue,
		upgrademonitor.CompletesParent(), upgrademonitor.ParentMessage("Uncordoned Node as part of completing upgrade phase"))
	return nil
}

// finish ends the update: the current config and image are the desired ones.
func (d *daemon) finish(ctx context.Context) error {
	d.log(ctx, d.monitor.ReportDegraded(ctx, nil))
	d.node.annotate(upgrademonitor.CurrentConfigAnnotation, d.options.to)
	d.node.annotate(upgrademonitor.CurrentImageAnnotation, d.options.toImage)
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.options.node), metav1.ConditionTrue)
	return nil
}
