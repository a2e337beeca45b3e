package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The annotations of the Node with which the operator, the daemon and the drain controller communicate.
const (
	currentConfig    = "machineconfiguration.openshift.io/currentConfig"
	desiredConfig    = "machineconfiguration.openshift.io/desiredConfig"
	desiredDrain     = "machineconfiguration.openshift.io/desiredDrain"
	lastAppliedDrain = "machineconfiguration.openshift.io/lastAppliedDrain"
)

// options say what an update of the Node needs, and how long each step takes.
type options struct {
	node           string
	drains, boots  bool
	timeOfEachStep time.Duration
}

// cluster connects a daemon to its Node.
type cluster struct {
	*daemon
	options
	kube   kubernetes.Interface
	lister corelisters.NodeLister

	desired string // config of the running sync
	booted  string // config that the node has booted, until its update is complete; a real daemon reads it from disk
}

// onCluster runs the daemon of a Node until stop ends. Then it waits for a running sync, and writes all
// reports. The steps do no work.
func onCluster(stop context.Context, kube kubernetes.Interface, mcfg mcfgclientset.Interface, o options) error {
	ctx, end := context.WithCancel(context.WithoutCancel(stop)) // ends after the last report
	defer end()
	onlyThisNode := func(list *metav1.ListOptions) { list.FieldSelector = "metadata.name=" + o.node }
	nodes := informers.NewSharedInformerFactoryWithOptions(kube, 0, informers.WithTweakListOptions(onlyThisNode))
	mcns := mcfginformers.NewSharedInformerFactoryWithOptions(mcfg, 0, mcfginformers.WithTweakListOptions(onlyThisNode))
	c := &cluster{options: o, kube: kube, lister: nodes.Core().V1().Nodes().Lister()}
	var err error
	c.daemon, err = newDaemon(stop, upgrademonitor.Config{
		Client:   mcfg,
		NodeName: o.node,
		Node:     c.get,
		Lister:   mcns.Machineconfiguration().V1().MachineConfigNodes().Lister(), // the drain controller writes, too
	})
	if err != nil {
		return err
	}
	c.setWork()
	_, err = nodes.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		if before.(*corev1.Node).Annotations[desiredConfig] != after.(*corev1.Node).Annotations[desiredConfig] {
			c.nodeChanged(ctx)
		}
	}})
	if err != nil {
		return err
	}
	nodes.StartWithContext(ctx) // after Lister(), which requests the informer
	mcns.StartWithContext(ctx)
	nodes.WaitForCacheSync(stop.Done())
	wait.UntilWithContext(stop, func(context.Context) {
		if err := c.sync(ctx); err != nil {
			klog.FromContext(ctx).Error(err, "Failed to sync, retrying")
		}
	}, 5*time.Second)
	c.flush(ctx)
	return nil
}

// sync updates the node to its desired config. A repeated report sends no request.
func (c *cluster) sync(ctx context.Context) error {
	node, err := c.get()
	if err != nil {
		return err
	}
	c.desired = node.Annotations[desiredConfig]
	if runs := cmp.Or(c.booted, node.Annotations[currentConfig]); runs != c.desired {
		return c.update(ctx)
	}
	if err := c.complete(ctx, c.booted != ""); err != nil {
		return err
	}
	c.booted = ""
	return nil
}

// setWork sets the functions of the daemon.
func (c *cluster) setWork() {
	simulate := func(context.Context) error {
		<-time.After(c.timeOfEachStep)
		return nil
	}
	c.validate, c.apply, c.restart = simulate, simulate, simulate
	if c.drains {
		c.drain = func(ctx context.Context) error { return c.ask(ctx, "drain-") }
	}
	if c.boots {
		c.reboot = func(context.Context) error {
			c.booted = c.desired
			return nil
		}
	}
	c.finish = func(ctx context.Context) error {
		if c.drains {
			if err := c.ask(ctx, "uncordon-"); err != nil {
				return err
			}
		}
		// The report of Updated=True, which follows, reads the config from the informer.
		return c.annotate(ctx, currentConfig, c.desired, currentConfig, 10*time.Second)
	}
}

// ask asks the drain controller to drain or to uncordon the node, and waits until that is done.
func (c *cluster) ask(ctx context.Context, verb string) error {
	return c.annotate(ctx, desiredDrain, verb+c.desired, lastAppliedDrain, time.Hour)
}

// annotate sets an annotation of the Node, and waits until the informer has the value in another
// annotation, or in the same one.
func (c *cluster) annotate(ctx context.Context, name, value, awaited string, timeout time.Duration) error {
	if c.annotation(name) != value {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, name, value)
		_, err := c.kube.CoreV1().Nodes().Patch(ctx, c.node, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return err
		}
	}
	isSet := func(context.Context) (bool, error) { return c.annotation(awaited) == value, nil }
	if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, timeout, true, isSet); err != nil {
		return fmt.Errorf("wait for the annotation %s=%s of Node %s: %w", awaited, value, c.node, err)
	}
	return nil
}

// annotation returns an annotation of the Node of the informer, or "".
func (c *cluster) annotation(name string) string {
	node, err := c.get()
	if err != nil {
		return ""
	}
	return node.Annotations[name]
}

// get returns the Node of the informer.
func (c *cluster) get() (*corev1.Node, error) { return c.lister.Get(c.node) }
