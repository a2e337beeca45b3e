// Command drain-controller cordons and drains Nodes, as the machine-config-controller does, and
// reports these steps on their MachineConfigNodes. A daemon sets the annotation desiredDrain of its
// Node to drain-<config> or uncordon-<config>. When the controller has drained or uncordoned the
// Node, it copies this value to the annotation lastAppliedDrain. The controller evicts Pods, so use
// a test cluster.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	desiredDrain     = "machineconfiguration.openshift.io/desiredDrain"
	lastAppliedDrain = "machineconfiguration.openshift.io/lastAppliedDrain"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "",
		"path of the kubeconfig of a test cluster (default: the credentials of the Pod)")
	flag.Parse()
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		err = run(stop, kubernetes.NewForConfigOrDie(config), mcfgclientset.NewForConfigOrDie(config))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type controller struct {
	kube     kubernetes.Interface
	nodes    corelisters.NodeLister
	monitors *upgrademonitor.Monitors
	queue    workqueue.TypedRateLimitingInterface[string]
}

// run drains and uncordons Nodes until stop ends. Then it flushes the pending reports.
func run(stop context.Context, kube kubernetes.Interface, mcfg mcfgclientset.Interface) error {
	ctx := context.WithoutCancel(stop) // so that a running drain is completed and reported after SIGTERM
	kubeFactory := informers.NewSharedInformerFactory(kube, 0)
	mcfgFactory := mcfginformers.NewSharedInformerFactory(mcfg, 0)
	nodes := kubeFactory.Core().V1().Nodes()
	monitors, err := upgrademonitor.NewMonitors(stop, upgrademonitor.Config{
		Client: mcfg, // ImageMode is nil, so each object keeps its mode
		Lister: mcfgFactory.Machineconfiguration().V1().MachineConfigNodes().Lister(),
	}, nodes.Lister().Get)
	if err != nil {
		return err
	}
	c := &controller{
		kube:     kube,
		nodes:    nodes.Lister(),
		monitors: monitors,
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	add := func(object any) {
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object) // each object has metadata
		c.queue.Add(key)
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, object any) { add(object) },
		DeleteFunc: add,
	}
	if _, err := nodes.Informer().AddEventHandler(handler); err != nil {
		return err
	}
	kubeFactory.StartWithContext(stop)
	mcfgFactory.StartWithContext(stop)
	kubeFactory.WaitForCacheSync(stop.Done())
	context.AfterFunc(stop, c.queue.ShutDown)
	for c.syncNext(ctx) { // this is one worker; a real controller has several
	}
	flush, done := context.WithTimeout(ctx, 5*time.Second)
	defer done()
	return monitors.Flush(flush)
}

// syncNext syncs the next Node in the queue. It returns false after the queue was shut down.
func (c *controller) syncNext(ctx context.Context) bool {
	name, isShutDown := c.queue.Get()
	if isShutDown {
		return false
	}
	defer c.queue.Done(name)
	if err := c.sync(ctx, name); err != nil {
		klog.FromContext(ctx).Error(err, "Failed to drain or uncordon, retrying", "node", name)
		c.queue.AddRateLimited(name)
	} else {
		c.queue.Forget(name)
	}
	return true
}

func (c *controller) sync(ctx context.Context, name string) error {
	node, _ := c.nodes.Get(name) // the only error of a lister is NotFound
	if node == nil {
		c.monitors.Forget(name)
		return nil
	}
	if node.Annotations[desiredDrain] == node.Annotations[lastAppliedDrain] {
		return nil
	}
	// Read the Node again, because the cache may be older than the last patch.
	node, err := c.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil || node.Annotations[desiredDrain] == node.Annotations[lastAppliedDrain] {
		return err
	}
	monitor := c.monitors.For(name)
	desired := node.Annotations[desiredDrain]
	if strings.HasPrefix(desired, "drain-") {
		err = c.drain(ctx, monitor, node)
	} else {
		err = c.uncordon(ctx, monitor, node)
	}
	if err != nil {
		return err
	}
	return c.patch(ctx, name, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, lastAppliedDrain, desired))
}

func (c *controller) drain(ctx context.Context, monitor *upgrademonitor.Monitor, node *corev1.Node) error {
	cordon := func(ctx context.Context) error { return c.setUnschedulable(ctx, node.Name, true) }
	if node.Spec.Unschedulable { // in a retry, Track would show that the phase runs again
		monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
	} else if err := monitor.Track(ctx, phases.Cordoned, "Cordoning node", cordon,
		upgrademonitor.DoneMessage("Cordoned node")); err != nil {
		return err
	}
	evict := func(ctx context.Context) error { return c.evict(ctx, node.Name) }
	return monitor.Track(ctx, phases.Drained, "Draining node", evict, upgrademonitor.DoneMessage("Drained node"))
}

func (c *controller) uncordon(ctx context.Context, monitor *upgrademonitor.Monitor, node *corev1.Node) error {
	uncordon := func(ctx context.Context) error { return c.setUnschedulable(ctx, node.Name, false) }
	completes := upgrademonitor.CompletesParent()
	if !node.Spec.Unschedulable {
		monitor.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue, completes)
		return nil
	}
	return monitor.Track(ctx, phases.Uncordoned, "Uncordoning node", uncordon, completes,
		upgrademonitor.DoneMessage("Uncordoned node"))
}

func (c *controller) setUnschedulable(ctx context.Context, name string, value bool) error {
	return c.patch(ctx, name, fmt.Sprintf(`{"spec":{"unschedulable":%t}}`, value))
}

func (c *controller) patch(ctx context.Context, name, patch string) error {
	_, err := c.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// evict evicts the Pods of a node, and returns an error until all of them are gone. A real
// controller uses k8s.io/kubectl/pkg/drain.
func (c *controller) evict(ctx context.Context, name string) error {
	pods, err := c.kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
	if err != nil {
		return err
	}
	var errs []error
	for _, pod := range pods.Items {
		if owner := metav1.GetControllerOf(&pod); owner != nil && owner.Kind == "DaemonSet" {
			continue
		}
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
		err := c.kube.PolicyV1().Evictions(pod.Namespace).Evict(ctx, eviction)
		if err == nil {
			err = errors.New("the pod has not terminated yet")
		}
		errs = append(errs, fmt.Errorf("evict pod %s: %w", klog.KObj(&pod), err))
	}
	return errors.Join(errs...)
}
