package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// flushBound is how long a reboot waits for what is not written yet.
const flushBound = 30 * time.Second

// update takes the node from one config to the next, in image mode from one image to the
// next as well, or instead.
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
			if ctx.Err() == nil { // a daemon that is stopped is no degraded node
				d.log(ctx, d.monitor.ReportDegraded(ctx, err))
			}
			return fmt.Errorf("the update of node %s failed at %w", d.options.node, err)
		}
	}
	return nil
}

// prepare begins the update: what the node shall have is something else than what it has.
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

// cordon reports a step that is over in no time: done. The library publishes that it ran.
func (d *daemon) cordon(ctx context.Context) error {
	if err := d.work(ctx, phases.Cordoned, "UpdateExecutedCordoned", "Cordoning node"); err != nil {
		return err
	}
	d.node.cordon(true)
	d.report(ctx, phases.Cordoned, "UpdateExecutedCordoned", "Cordoned node. The node is reporting Unschedulable = true", metav1.ConditionTrue)
	return nil
}

// drain is one piece of work, with a message that is right before, after and with an error
// behind it: let Track report it.
func (d *daemon) drain(ctx context.Context) error {
	message := "Drain of the node, for the desired drainer drain-" + d.options.to
	err := d.monitor.Track(ctx, phases.Drained, message, func(ctx context.Context) error {
		return d.pretend(ctx, phases.Drained)
	})
	return at(phases.Drained, err)
}

// skipDrain says why Drained will not turn True in this update.
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

// reboot ends the process, and another one takes over.
func (d *daemon) reboot(ctx context.Context) error {
	message := "Node will reboot into " + d.options.target()
	d.report(ctx, phases.RebootedNode, "RebootedNode", message, metav1.ConditionUnknown)

	// What is not written yet dies with the process. Wait for it, but not for long: an API
	// server that does not answer must not keep the node from its update.
	flush, cancel := context.WithTimeout(ctx, flushBound)
	defer cancel()
	d.log(ctx, d.monitor.Flush(flush))
	if err := d.work(ctx, phases.RebootedNode, "RebootedNode", message); err != nil {
		return err
	}
	d.stop()

	// The daemon's next life: a new Monitor goes on from what the object shows.
	if err := d.start(ctx); err != nil {
		return err
	}
	d.report(ctx, phases.RebootedNode, "RebootedNode", "Node has rebooted into "+d.options.target(), metav1.ConditionTrue)
	return nil
}

// postAction stands in for the reboot where the update needs none.
func (d *daemon) postAction(ctx context.Context) error {
	if err := d.work(ctx, phases.UpdatePostActionComplete, "None", "Running the post action"); err != nil {
		return err
	}
	d.report(ctx, phases.UpdatePostActionComplete, "None", "Changes do not require a reboot", metav1.ConditionTrue)
	return nil
}

// resume goes back to normal operations.
func (d *daemon) resume(ctx context.Context) error {
	if err := d.work(ctx, phases.Resumed, "Resumed", "Resuming normal operations"); err != nil {
		return err
	}
	d.report(ctx, phases.Resumed, "Resumed", "In desired config "+d.options.to+". Resumed normal operations.", metav1.ConditionTrue)
	return nil
}

// uncordon is the one child of UpdateComplete, and completes it.
func (d *daemon) uncordon(ctx context.Context) error {
	if err := d.work(ctx, phases.Uncordoned, "UpdateCompleteUncordoned", "Uncordoning node"); err != nil {
		return err
	}
	d.node.cordon(false)
	d.report(ctx, phases.Uncordoned, "UpdateCompleteUncordoned", "UnCordoned node. The node is reporting Unschedulable = false", metav1.ConditionTrue,
		upgrademonitor.CompletesParent(), upgrademonitor.ParentMessage("Uncordoned Node as part of completing upgrade phase"))
	return nil
}

// finish ends the update: the node has what it shall have.
func (d *daemon) finish(ctx context.Context) error {
	d.log(ctx, d.monitor.ReportDegraded(ctx, nil))
	d.node.annotate(upgrademonitor.CurrentConfigAnnotation, d.options.to)
	d.node.annotate(upgrademonitor.CurrentImageAnnotation, d.options.toImage)
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.options.node), metav1.ConditionTrue)
	return nil
}
