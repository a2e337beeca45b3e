package simulate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// errDrain is the failure of the node of Options.FailNode, in the words of a drain.
var errDrain = errors.New(`failed to drain node: error when evicting pods/"pdb-app-0" -n "shop": Cannot evict pod as it would violate the pod's disruption budget`)

// daemon is the daemon of a node. It reports each step, and leaves the spec of its object to the controller.
type daemon struct {
	cluster *Cluster
	node    string
	random  *rand.Rand
	changed chan struct{}

	monitor *upgrademonitor.Monitor
	stop    func() // stops what start has started
}

func newDaemon(c *Cluster, node string, stream uint64) *daemon {
	return &daemon{cluster: c, node: node, random: rand.New(rand.NewPCG(c.options.Seed, stream)), changed: c.listen()}
}

// run updates the node whenever its desired config changes, until ctx ends or an update fails.
func (d *daemon) run(ctx context.Context) error {
	hasObject := func() (bool, error) {
		_, err := d.cluster.machineConfigNodes().Lister().Get(d.node)
		return err == nil, nil
	}
	if err := d.cluster.until(ctx, d.changed, hasObject); err != nil {
		return nil // ctx has ended
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { d.stop() }()
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.node), metav1.ConditionTrue)
	for {
		node, err := d.waitFor(ctx, func(node *corev1.Node) bool {
			return node.Annotations[upgrademonitor.DesiredConfigAnnotation] != node.Annotations[upgrademonitor.CurrentConfigAnnotation]
		})
		if err != nil {
			return nil // ctx has ended
		}
		if err := d.update(ctx, node.Annotations[upgrademonitor.DesiredConfigAnnotation]); err != nil {
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
		Client:   d.cluster.client,
		NodeName: d.node,
		Node:     func() (*corev1.Node, error) { return d.cluster.core.Core().V1().Nodes().Lister().Get(d.node) },
		Pool:     d.cluster.poolOf,
		Clock:    d.cluster.clock,
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

// update reports a standard update with a reboot.
func (d *daemon) update(ctx context.Context, config string) error {
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s needs an update", d.node), metav1.ConditionFalse)
	for _, s := range []struct {
		phase      phases.Phase
		reason     string
		begin, end string
		last       bool // child of its parent
		work       func(context.Context) error
	}{
		{phases.UpdatePrepared, "UpdatePrepared", "Checking the config", "Update Compatible. Post Cfg Actions: [] Drain Required: true", false, d.steps(0.25)},
		{phases.Cordoned, "UpdateExecutedCordoned", "Cordoning node", "Cordoned node", false, d.cordon(true)},
		{phases.Drained, "UpdateExecutedDrained", "Draining node", "Drained node", false, d.drain},
		{phases.AppliedFilesAndOS, "UpdateExecutedAppliedFilesAndOS", "Applying files and new OS config to node", "Applied files and new OS config to node", true, d.steps(1)},
		{phases.RebootedNode, "RebootedNode", "Node will reboot into config " + config, "Node has rebooted into config " + config, false, d.reboot},
		{phases.Resumed, "Resumed", "Resuming normal operations", "In desired config " + config, false, d.steps(0.25)},
		{phases.Uncordoned, "UpdateCompleteUncordoned", "Uncordoning node", "Uncordoned node", true, d.cordon(false)},
	} {
		d.report(ctx, s.phase, s.reason, s.begin, metav1.ConditionUnknown)
		if err := s.work(ctx); err != nil {
			return err
		}
		if s.last {
			d.check(d.monitor.GenerateAndApplyMachineConfigNode(ctx, s.phase, s.reason, s.end, metav1.ConditionTrue, upgrademonitor.CompletesParent()))
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

func (d *daemon) report(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus) {
	d.check(d.monitor.GenerateAndApplyMachineConfigNode(ctx, phase, reason, message, status))
}

// check ignores the error of a report: what is wrong with it is seen on the screen.
func (d *daemon) check(error) {}

func (d *daemon) steps(n float64) func(context.Context) error {
	return func(ctx context.Context) error { return d.work(ctx, n) }
}

// work waits for a multiple of the duration of a step.
func (d *daemon) work(ctx context.Context, steps float64) error {
	steps *= 1 + jitter*(2*d.random.Float64()-1)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.cluster.clock.After(time.Duration(steps * float64(step))):
		return nil
	}
}

func (d *daemon) drain(ctx context.Context) error {
	if err := d.work(ctx, 1.5); err != nil || d.node != d.cluster.options.FailNode {
		return err
	}
	return errDrain
}

func (d *daemon) cordon(unschedulable bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return d.patch(ctx, `{"spec":{"unschedulable":%t}}`, unschedulable)
	}
}

// reboot restarts the daemon: its new Monitor continues with the state of the object.
func (d *daemon) reboot(ctx context.Context) error {
	if err := d.monitor.Flush(ctx); err != nil {
		return err
	}
	if err := d.work(ctx, 2); err != nil {
		return err
	}
	d.stop()
	return d.start(ctx)
}

// patch changes the Node, and waits until the informer, which the Monitor reads, has the change.
func (d *daemon) patch(ctx context.Context, patch string, args ...any) error {
	after, err := d.cluster.patchNode(ctx, d.node, patch, args...)
	if err != nil {
		return err
	}
	_, err = d.waitFor(ctx, func(node *corev1.Node) bool {
		order, err := resourceversion.CompareResourceVersion(node.ResourceVersion, after.ResourceVersion)
		return err == nil && order >= 0
	})
	return err
}

// waitFor waits until the Node in the informer passes a check.
func (d *daemon) waitFor(ctx context.Context, check func(*corev1.Node) bool) (node *corev1.Node, err error) {
	err = d.cluster.until(ctx, d.changed, func() (bool, error) {
		node, err = d.cluster.core.Core().V1().Nodes().Lister().Get(d.node)
		return err == nil && check(node), err
	})
	return node, err
}
