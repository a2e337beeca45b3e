package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// daemon is the daemon of a node. It reports each step, and leaves the spec of its object to
// the operator. The daemon of examples/daemon explains its reports.
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
	if err := d.waitForObject(ctx); err != nil {
		return nil // ctx has ended
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { d.stop() }()
	d.report(ctx, phases.Updated, "Updated", fmt.Sprintf("Node %s Updated", d.node), metav1.ConditionTrue)
	for {
		node, err := d.waitFor(ctx, func(node *corev1.Node) bool { return desired(node) != current(node) })
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

// start starts a Monitor, at the start of the daemon and after each reboot.
func (d *daemon) start(ctx context.Context) error {
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   d.cluster.client,
		NodeName: d.node,
		Node:     func() (*corev1.Node, error) { return d.cluster.Nodes().Lister().Get(d.node) },
		Pool:     d.pool,
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
		work       func(context.Context) error
		opts       []upgrademonitor.ReportOption // of the report that the phase is done
	}{
		{phases.UpdatePrepared, "UpdatePrepared", "Checking the config", "Update Compatible. Post Cfg Actions: [] Drain Required: true", d.steps(0.25), nil},
		{phases.Cordoned, "UpdateExecutedCordoned", "Cordoning node", "Cordoned node", d.cordon(true), nil},
		{phases.Drained, "UpdateExecutedDrained", "Draining node", "Drained node", d.drain, nil},
		{phases.AppliedFilesAndOS, "UpdateExecutedAppliedFilesAndOS", "Applying files and new OS config to node", "Applied files and new OS config to node", d.steps(1),
			[]upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}},
		{phases.RebootedNode, "RebootedNode", "Node will reboot into config " + config, "Node has rebooted into config " + config, d.reboot, nil},
		{phases.Resumed, "Resumed", "Resuming normal operations", "In desired config " + config, d.steps(0.25), nil},
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

// steps returns the work that waits for a multiple of the duration of a step.
func (d *daemon) steps(n float64) func(context.Context) error {
	return func(ctx context.Context) error { return d.work(ctx, n) }
}

// work waits for a multiple of the duration of a step.
func (d *daemon) work(ctx context.Context, steps float64) error {
	options := d.cluster.options
	steps *= 1 + options.Jitter*(2*d.random.Float64()-1)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.cluster.clock.After(time.Duration(steps * float64(options.Step))):
		return nil
	}
}

func (d *daemon) drain(ctx context.Context) error {
	if d.node == d.cluster.options.FailNode {
		return errors.New("simulated failure of --fail-node")
	}
	return d.work(ctx, 1.5)
}

func (d *daemon) cordon(unschedulable bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return d.patch(ctx, `{"spec":{"unschedulable":%t}}`, unschedulable)
	}
}

// reboot restarts the daemon: its new Monitor continues with the state of the object.
func (d *daemon) reboot(ctx context.Context) error {
	d.log(ctx, d.monitor.Flush(ctx))
	if err := d.work(ctx, 2); err != nil {
		return err
	}
	d.stop()
	return d.start(ctx)
}

func (d *daemon) report(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...upgrademonitor.ReportOption) {
	d.log(ctx, d.monitor.GenerateAndApplyMachineConfigNode(ctx, phase, reason, message, status, opts...))
}

// log logs an error of a report, except ErrPending: the Monitor retries that one.
func (d *daemon) log(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, upgrademonitor.ErrPending) {
		klog.FromContext(ctx).Error(err, "Failed to report on the update", "node", d.node)
	}
}
