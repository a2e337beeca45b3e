// Package simulate is a cluster in memory: an API server with MachineConfigPools and Nodes, the real
// controllers of packages rollout and pool, a daemon on each Node that reports its updates with the library's
// Monitor, and a node controller that rolls out the next config, pool by pool, within maxUnavailable.
// The work of an update is not done: a daemon waits for as long as a step is to take, on a fast clock.
package simulate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfginformersv1 "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// MaxNodes is the largest number of nodes: the API server in memory processes one request at a time.
const MaxNodes = 200

const (
	step     = 40 * time.Second // the average duration of a step of a node's update
	jitter   = 0.6              // the share by which it may be shorter or longer
	roleName = "node-role.kubernetes.io/"
)

// poolNames are the pools in the order of their updates.
var poolNames = []string{pool.Master, pool.Worker}

// Options describe a simulated cluster.
type Options struct {
	Nodes    int     // from 1 to MaxNodes: up to three masters, the others are workers
	Speed    float64 // of the cluster's clock: 60 makes a minute of a second
	FailNode string  // the name of a node whose drain fails; "" for none
}

func (o Options) validate() error {
	switch {
	case o.Nodes < 1 || o.Nodes > MaxNodes:
		return fmt.Errorf("--simulate %d: use from 1 to %d nodes", o.Nodes, MaxNodes)
	case !(o.Speed >= 0.001 && o.Speed <= 1e6):
		return fmt.Errorf("--speed %g: use from 0.001 to 1000000", o.Speed)
	case o.FailNode != "" && !slices.Contains(nodeNames(o.Nodes), o.FailNode):
		return fmt.Errorf("--fail-node %q: the nodes are %s", o.FailNode, strings.Join(nodeNames(o.Nodes), ", "))
	}
	return nil
}

// sizes returns the number of nodes of each pool.
func sizes(nodes int) map[string]int {
	return map[string]int{pool.Master: min(3, nodes), pool.Worker: max(0, nodes-3)}
}

func nodeNames(nodes int) []string {
	var names []string
	for _, p := range poolNames {
		for i := range sizes(nodes)[p] {
			names = append(names, fmt.Sprintf("%s-%d", p, i))
		}
	}
	return names
}

// rendered returns the name of a rendered config of a pool.
func rendered(poolName string, revision int) string {
	hash := sha256.Sum256(fmt.Append(nil, poolName, revision))
	return fmt.Sprintf("rendered-%s-%x", poolName, hash[:16])
}

// Before returns the configs of the pools before the rollout.
func Before() []string { return []string{rendered(pool.Master, 1), rendered(pool.Worker, 1)} }

// Cluster is a cluster in memory.
type Cluster struct {
	Client mcfgclientset.Interface
	Clock  clock.PassiveClock // starts at the real time

	options Options
	clock   fastClock
	kube    kubernetes.Interface
	core    informers.SharedInformerFactory
	mcfg    mcfginformers.SharedInformerFactory

	mu     sync.Mutex // guards change
	change chan struct{}
}

// New makes a cluster whose Nodes all have the first config of their pools. Nothing runs before RunWith.
func New(ctx context.Context, options Options) (*Cluster, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	kube, client, clock := kubefake.NewClientset(), mcfgfake.NewClientset(), fastClock{time.Now(), options.Speed}
	serve(&kube.Fake, kube.Tracker(), clock)
	serve(&client.Fake, client.Tracker(), clock)
	c := &Cluster{
		Client: client, Clock: clock, options: options, clock: clock, kube: kube, change: make(chan struct{}),
		core: informers.NewSharedInformerFactory(kube, 0), mcfg: mcfginformers.NewSharedInformerFactory(client, 0),
	}
	if err := c.populate(ctx); err != nil {
		return nil, err
	}
	notify := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { c.notify() }, UpdateFunc: func(_, _ any) { c.notify() }}
	_, err := c.core.Core().V1().Nodes().Informer().AddEventHandler(notify)
	if err == nil {
		_, err = c.machineConfigNodes().Informer().AddEventHandler(notify)
	}
	return c, err
}

func (c *Cluster) machineConfigNodes() mcfginformersv1.MachineConfigNodeInformer {
	return c.mcfg.Machineconfiguration().V1().MachineConfigNodes()
}

// populate creates the pools and the Nodes. A quarter of the workers may be unavailable at a time, and one
// node of the other pools.
func (c *Cluster) populate(ctx context.Context) error {
	for _, name := range poolNames {
		p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
		p.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{roleName + name: ""}}
		p.Spec.Configuration.Name = rendered(name, 1)
		if name == pool.Worker {
			quarter := intstr.FromString("25%")
			p.Spec.MaxUnavailable = &quarter
		}
		if _, err := c.Client.MachineconfigurationV1().MachineConfigPools().Create(ctx, p, metav1.CreateOptions{}); err != nil {
			return err
		}
		for i := range sizes(c.options.Nodes)[name] {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%d", name, i), Labels: map[string]string{roleName + name: ""},
				Annotations: map[string]string{upgrademonitor.CurrentConfigAnnotation: rendered(name, 1), upgrademonitor.DesiredConfigAnnotation: rendered(name, 1)},
			}}
			node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
			if _, err := c.kube.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Cluster) notify() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.change)
	c.change = make(chan struct{})
}

// until checks after each change, until the check is done or fails.
func (c *Cluster) until(ctx context.Context, check func() (done bool, err error)) error {
	for {
		c.mu.Lock()
		changed := c.change
		c.mu.Unlock()
		if done, err := check(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

// patchNode applies a merge patch to a Node.
func (c *Cluster) patchNode(ctx context.Context, name, patch string, args ...any) (*corev1.Node, error) {
	return c.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, patch, args...), metav1.PatchOptions{})
}
