package simulate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// errDrain is the failure of the node of Options.FailNode.
var errDrain = errors.New(`failed to drain node: error when evicting pods/"pdb-app-0" -n "shop": Cannot evict pod as it would violate the pod's disruption budget`)

// daemon is the daemon of a node. It reports each step, and leaves the spec of its object to the controller.
type daemon struct {
	cluster *Cluster
	node    string
	random  *rand.Rand

	monitor *upgrademonitor.Monitor
	stop    func() // stops what start has started
}

func newDaemon(c *Cluster, node string, stream uint64) *daemon {
	return &daemon{cluster: c, node: node, random: rand.New(rand.NewPCG(0, stream))}
}

// run updates the node whenever its desired config changes, until ctx ends or an update fails.
func (d *daemon) run(ctx context.Context) error {
	hasObject := func() (bool, error) {
		_, err := d.cluster.machineConfigNodes().Lister().Get(d.node)
		return err == nil, nil
	}
	if err := d.cluster.until(ctx, hasObject); err != nil {
		return nil // ctx has ended
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { d.stop() }()
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.node), metav1.ConditionTrue)
	for {
		var desired string
		err := d.cluster.until(ctx, func() (bool, error) {
			node, err := d.read()
			if err != nil {
				return false, err
			}
			desired = node.Annotations[upgrademonitor.DesiredConfigAnnotation]
			return desired != node.Annotations[upgrademonitor.CurrentConfigAnnotation], nil
		})
		if err != nil {
			return nil // ctx has ended
		}
		if err := d.update(ctx, desired); err != nil {
			if ctx.Err() == nil {
				d.report(ctx, phases.NodeDegraded, "NodeDegraded", fmt.Sprintf("Node %s upgrade failure. %v", d.node, err), metav1.ConditionTrue)
			}
			return nil
		}
	}
}

// start starts a Monitor, at the start of the daemon and after each reboot.
func (d *daemon) start(ctx context.Context) error {
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   d.cluster.Client,
		NodeName: d.node,
		Node:     d.read,
		Pool:     func(*corev1.Node) (string, error) { poolName, _, _ := strings.Cut(d.node, "-"); return poolName, nil },
		Clock:    d.cluster.clock,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { _ = monitor.Run(ctx) })
	d.monitor, d.stop = monitor, func() { cancel(); group.Wait() }
	return nil
}

// read returns the Node as the informer has it.
func (d *daemon) read() (*corev1.Node, error) {
	return d.cluster.core.Core().V1().Nodes().Lister().Get(d.node)
}

// update reports a standard update with a reboot.
func (d *daemon) update(ctx context.Context, config string) error {
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s needs an update", d.node), metav1.ConditionFalse)
	for _, s := range []struct {
		phase      phases.Phase
		reason     string
		begin, end string
		last       bool    // child of its parent
		steps      float64 // how long it takes
	}{
		{phases.UpdatePrepared, "UpdatePrepared", "Checking the config", "Update Compatible. Post Cfg Actions: [] Drain Required: true", false, 0.25},
		{phases.Cordoned, "UpdateExecutedCordoned", "Cordoning node", "Cordoned node", false, 0},
		{phases.Drained, "UpdateExecutedDrained", "Draining node", "Drained node", false, 1.5},
		{phases.AppliedFilesAndOS, "UpdateExecutedAppliedFilesAndOS", "Applying files and new OS config to node", "Applied files and new OS config to node", true, 1},
		{phases.RebootedNode, "RebootedNode", "Node will reboot into config " + config, "Node has rebooted into config " + config, false, 2},
		{phases.Resumed, "Resumed", "Resuming normal operations", "In desired config " + config, false, 0.25},
		{phases.Uncordoned, "UpdateCompleteUncordoned", "Uncordoning node", "Uncordoned node", true, 0},
	} {
		d.report(ctx, s.phase, s.reason, s.begin, metav1.ConditionUnknown)
		if err := d.work(ctx, s.phase, s.steps); err != nil {
			return err
		}
		if s.last {
			_ = d.monitor.GenerateAndApplyMachineConfigNode(ctx, s.phase, s.reason, s.end, metav1.ConditionTrue, upgrademonitor.CompletesParent())
			continue
		}
		d.report(ctx, s.phase, s.reason, s.end, metav1.ConditionTrue)
	}
	if err := d.patch(ctx, `{"metadata":{"annotations":{%q:%q}}}`, upgrademonitor.CurrentConfigAnnotation, config); err != nil {
		return err
	}
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.node), metav1.ConditionTrue)
	return nil
}

// report reports a step. What is wrong with a report is seen on the screen.
func (d *daemon) report(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus) {
	_ = d.monitor.GenerateAndApplyMachineConfigNode(ctx, phase, reason, message, status)
}

// work does what a step does, and waits for a multiple of its usual duration.
func (d *daemon) work(ctx context.Context, phase phases.Phase, steps float64) error {
	switch phase {
	case phases.Cordoned, phases.Uncordoned:
		return d.patch(ctx, `{"spec":{"unschedulable":%t}}`, phase == phases.Cordoned)
	case phases.RebootedNode:
		if err := d.monitor.Flush(ctx); err != nil {
			return err
		}
	}
	steps *= 1 + jitter*(2*d.random.Float64()-1)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.cluster.clock.after(time.Duration(steps * float64(step))):
	}
	switch {
	case phase == phases.Drained && d.node == d.cluster.options.FailNode:
		return errDrain
	case phase == phases.RebootedNode: // the new Monitor continues with the state of the object
		d.stop()
		return d.start(ctx)
	}
	return nil
}

// patch changes the Node, and waits until the informer, which the Monitor reads, has the change.
func (d *daemon) patch(ctx context.Context, patch string, args ...any) error {
	after, err := d.cluster.patchNode(ctx, d.node, patch, args...)
	if err != nil {
		return err
	}
	return d.cluster.until(ctx, func() (bool, error) {
		node, err := d.read()
		if err != nil {
			return false, err
		}
		order, err := resourceversion.CompareResourceVersion(node.ResourceVersion, after.ResourceVersion)
		return order >= 0, err
	})
}
