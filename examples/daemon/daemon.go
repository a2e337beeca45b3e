package main

import (
	"context"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The annotations of the Node with the current and the desired config.
const (
	currentConfig = "machineconfiguration.openshift.io/currentConfig"
	desiredConfig = "machineconfiguration.openshift.io/desiredConfig"
)

// daemon updates one node. If the function of a step is nil, the update does not need that step. A
// real daemon finds the required steps by comparing the current and the desired config.
type daemon struct {
	monitor *upgrademonitor.Monitor
	node    func() (*corev1.Node, error)

	validate, drain, pullImage, applyImage, applyFiles, restartServices, reboot, uncordon func(context.Context) error

	// setDone sets the annotation currentConfig of the Node.
	setDone func(ctx context.Context, config string) error
	// rebooted is true after the node has rebooted for this update. A real daemon reads this from disk.
	rebooted bool
	// reported is the config of the last report of Updated=True.
	reported string
}

// newDaemon creates the Monitor of the process. stop is a context that ends on SIGTERM. After SIGTERM,
// the Monitor still accepts reports and calls of Flush.
func newDaemon(
	stop context.Context,
	client mcfgclientset.Interface,
	nodes corelisters.NodeLister,
	name string,
	imageMode func() bool,
) (*daemon, error) {
	onlyThisNode := func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=" + name }
	factory := mcfginformers.NewSharedInformerFactoryWithOptions(
		client, 0, mcfginformers.WithTweakListOptions(onlyThisNode))
	d := &daemon{node: func() (*corev1.Node, error) { return nodes.Get(name) }}
	var err error
	d.monitor, err = upgrademonitor.New(stop, upgrademonitor.Config{
		Client:    client,
		NodeName:  name,
		Node:      d.node,
		ImageMode: imageMode, // the feature gate ImageModeStatusReporting
		Lister:    factory.Machineconfiguration().V1().MachineConfigNodes().Lister(),
	})
	factory.StartWithContext(stop) // after Lister(), which requests the informer
	return d, err
}

// run calls sync until stop ends. Then it waits for a running sync, writes all reports, and returns.
func (d *daemon) run(stop context.Context) {
	ctx := context.WithoutCancel(stop)
	wait.UntilWithContext(stop, func(context.Context) {
		if err := d.sync(ctx); err != nil {
			klog.FromContext(ctx).Error(err, "Failed to sync, retrying")
		}
	}, 5*time.Second)
	d.flush(ctx, 20*time.Second)
}

// sync updates the node to its desired config. It may repeat reports, because a repeated report sends
// no request.
func (d *daemon) sync(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			d.monitor.ReportDegraded(ctx, err)
		}
	}()
	node, err := d.node()
	if err != nil {
		return err
	}
	desired := node.Annotations[desiredConfig]
	if !d.rebooted && node.Annotations[currentConfig] != desired {
		return d.update(ctx, desired)
	}
	if err := d.complete(ctx, desired); err != nil {
		return err
	}
	d.monitor.ReportDegraded(ctx, nil) // only now, because each earlier step may still fail
	return nil
}

func (d *daemon) update(ctx context.Context, config string) error {
	d.reported = ""
	d.monitor.Report(ctx, phases.Updated, "Node needs an update to "+config, metav1.ConditionFalse) // starts an update
	if err := do(d.validate)(ctx); err != nil {
		message := "Update is not compatible: " + err.Error()
		d.monitor.Report(ctx, phases.UpdatePrepared, message, metav1.ConditionUnknown)
		return err
	}
	d.monitor.Report(ctx, phases.UpdatePrepared, "Update is compatible", metav1.ConditionTrue)
	if d.drain == nil { // report this even if an earlier attempt failed to drain
		d.monitor.NotRequired(ctx, phases.Drained, "Drain is not required")
	} else if err := d.drainNode(ctx); err != nil {
		return err
	}
	// In standard mode, this phase covers all of apply. In image mode, this phase is ignored, and
	// apply reports each of its steps.
	err := d.monitor.Track(ctx, phases.AppliedFilesAndOS, "Applying files and OS", d.apply,
		upgrademonitor.CompletesParent())
	if err != nil {
		return err
	}
	if d.reboot == nil {
		restart := do(d.restartServices)
		err := d.monitor.Track(ctx, phases.UpdatePostActionComplete, "Restarting services", restart)
		if err != nil {
			return err
		}
		return d.complete(ctx, config)
	}
	d.monitor.Report(ctx, phases.RebootedNode, "Update requires a reboot", metav1.ConditionUnknown)
	d.flush(ctx, 10*time.Second)
	return d.reboot(ctx)
}

// drainNode asks the drain controller, which reports Cordoned and Drained. The controller waits until
// the object shows the start of the update, so the start is written first.
func (d *daemon) drainNode(ctx context.Context) error {
	d.flush(ctx, 10*time.Second)
	return d.drain(ctx)
}

// apply reports the phases of image mode. In standard mode, these reports are ignored.
func (d *daemon) apply(ctx context.Context) error {
	if d.applyImage == nil {
		// Report these phases first. If an earlier attempt has left them Unknown, the parent cannot
		// complete.
		d.monitor.NotRequired(ctx, phases.ImagePulledFromRegistry, "The OS image does not change")
		d.monitor.NotRequired(ctx, phases.AppliedOSImage, "The OS image does not change")
		return d.monitor.Track(ctx, phases.AppliedFiles, "Applying files", do(d.applyFiles),
			upgrademonitor.CompletesParent())
	}
	if err := d.monitor.Track(ctx, phases.AppliedFiles, "Applying files", do(d.applyFiles)); err != nil {
		return err
	}
	if err := d.monitor.Track(ctx, phases.ImagePulledFromRegistry, "Pulling the OS image", do(d.pullImage)); err != nil {
		return err
	}
	return d.monitor.Track(ctx, phases.AppliedOSImage, "Applying the OS image", d.applyImage,
		upgrademonitor.CompletesParent())
}

// complete reports the end of the update. If the daemon has restarted and no update is running, the
// reports change only messages.
func (d *daemon) complete(ctx context.Context, config string) error {
	if d.reported == config {
		return nil
	}
	if d.rebooted {
		d.monitor.Report(ctx, phases.RebootedNode, "Node has rebooted", metav1.ConditionTrue)
	}
	d.monitor.Report(ctx, phases.Resumed, "Resumed normal operations", metav1.ConditionTrue)
	// uncordon asks the drain controller, which reports Uncordoned.
	if err := do(d.uncordon)(ctx); err != nil {
		return err
	}
	if err := d.setDone(ctx, config); err != nil {
		return err
	}
	d.monitor.Report(ctx, phases.Updated, "Node is updated to "+config, metav1.ConditionTrue)
	d.rebooted, d.reported = false, config
	return nil
}

// flush writes the pending reports, which exist only in memory. The timeout makes sure that an
// outage of the API server does not prevent the reboot.
func (d *daemon) flush(ctx context.Context, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := d.monitor.Flush(ctx); err != nil {
		klog.FromContext(ctx).Error(err, "Failed to write the pending reports, continuing without them")
	}
}

// do returns work, or a function that does nothing if work is nil.
func do(work func(context.Context) error) func(context.Context) error {
	if work == nil {
		return func(context.Context) error { return nil }
	}
	return work
}
