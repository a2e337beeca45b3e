package rollout_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a cluster in memory with a controller, in a bubble of synctest. Methods that change the cluster return when
// the controller is idle again.
type cluster struct {
	t      *testing.T
	kube   *kubefake.Clientset
	mcfg   *mcfgfake.Clientset
	events *record.FakeRecorder
	// workers is the number of workers of Run. The value 0 means one worker.
	workers int
	// verbosity is the verbosity of the log.
	verbosity  int
	controller *rollout.Controller
	end        func() // ends Run, but not the informers
	stop       func() // ends Run and the informers

	mu       sync.Mutex // guards the fields below
	log      bytes.Buffer
	patchErr error
}

var fourPools = []string{"master", "worker", "infra", "gpu"}

// inBubble runs a test on a cluster with these nodes and pools. A pool selects the nodes with the label role-<pool>.
func inBubble(t *testing.T, pools []string, nodes []*corev1.Node, test func(t *testing.T, c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{t: t, kube: kubefake.NewClientset(), mcfg: mcfgfake.NewClientset(), events: record.NewFakeRecorder(100)}
		c.mcfg.PrependReactor("patch", "machineconfignodes", c.patch)
		for _, name := range pools {
			c.createPool(newPool(name))
		}
		for _, node := range nodes {
			c.createNode(node)
		}
		test(t, c)
	})
}

// run starts a controller. The end of the test stops the controller.
func (c *cluster) run(change ...func(*rollout.Config)) {
	c.t.Helper()
	core := informers.NewSharedInformerFactory(c.kube, 0)
	mcfg := mcfginformers.NewSharedInformerFactory(c.mcfg, 0)
	config := rollout.Config{
		Client:             c.mcfg,
		KubeClient:         c.kube,
		Nodes:              core.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
		Recorder:           recorder{c.events},
	}
	for _, c := range change {
		c(&config)
	}
	controller, err := rollout.New(config)
	require.NoError(c.t, err)
	c.controller = controller

	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(c), textlogger.Verbosity(c.verbosity)))
	ctx, cancel := context.WithCancel(klog.NewContext(c.t.Context(), logger))
	informing, stopInformers := context.WithCancel(c.t.Context())
	core.StartWithContext(informing)
	mcfg.StartWithContext(informing)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(c.t, controller.Run(ctx, c.workers)) })
	c.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	c.stop = sync.OnceFunc(func() {
		c.end()
		stopInformers()
		core.Shutdown()
		mcfg.Shutdown()
	})
	c.t.Cleanup(c.stop)
	synctest.Wait()
}

// Write appends a line to the log of the controllers.
func (c *cluster) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Write(line)
}

// recorder is a FakeRecorder with an empty scheme, which a host may also have. It records only events of an
// ObjectReference, because objects from an API server have no TypeMeta. It appends the object to the reason of an event.
type recorder struct{ *record.FakeRecorder }

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	if _, ok := object.(*corev1.ObjectReference); !ok {
		object = object.DeepCopyObject()
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	if o, err := reference.GetReference(runtime.NewScheme(), object); err == nil {
		of := strings.Join([]string{reason, o.APIVersion, o.Kind, o.Name, string(o.UID)}, " ")
		r.FakeRecorder.Event(object, eventType, of, message)
	}
}

func newPool(name string) *mcfgv1.MachineConfigPool {
	return &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)},
		Spec: mcfgv1.MachineConfigPoolSpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role-" + name: ""}},
		},
	}
}

// newNode returns a node with the current and desired config rendered-1. The given pools select the node.
func newNode(name string, pools ...string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid of " + name), Labels: map[string]string{}, Annotations: map[string]string{}}}
	for _, p := range pools {
		node.Labels["role-"+p] = ""
	}
	node.Annotations[nodemeta.CurrentConfig] = "rendered-1"
	desires("rendered-1")(node)
	return node
}

func desires(config string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Annotations[nodemeta.DesiredConfig] = config }
}

// advance lets time pass, for example for retries.
func (c *cluster) advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// done fails the test if a request has failed, and waits until the controller is idle.
func (c *cluster) done(_ any, err error) {
	c.t.Helper()
	require.NoError(c.t, err)
	synctest.Wait()
}

func (c *cluster) pools() mcfgclient.MachineConfigPoolInterface {
	return c.mcfg.MachineconfigurationV1().MachineConfigPools()
}

func (c *cluster) createPool(p *mcfgv1.MachineConfigPool) {
	c.t.Helper()
	c.done(c.pools().Create(c.t.Context(), p, metav1.CreateOptions{}))
}

func (c *cluster) createNode(node *corev1.Node) {
	c.t.Helper()
	c.done(c.kube.CoreV1().Nodes().Create(c.t.Context(), node, metav1.CreateOptions{}))
}

// replaceNode replaces the Node named node. The informer sees an update, as if it had missed the deletion.
func (c *cluster) replaceNode(node *corev1.Node) {
	c.t.Helper()
	node.UID = "another"
	c.changeNode(func(n *corev1.Node) { *n = *node })
}

// changeNode updates the Node named node.
func (c *cluster) changeNode(change func(*corev1.Node)) {
	c.t.Helper()
	c.changeNodeNamed("node", change)
}

func (c *cluster) changeNodeNamed(name string, change func(*corev1.Node)) {
	c.t.Helper()
	node, err := c.kube.CoreV1().Nodes().Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	change(node)
	c.done(c.kube.CoreV1().Nodes().Update(c.t.Context(), node, metav1.UpdateOptions{}))
}

func (c *cluster) mcns() mcfgclient.MachineConfigNodeInterface {
	return c.mcfg.MachineconfigurationV1().MachineConfigNodes()
}

// object returns the object of a node, or nil if there is none.
func (c *cluster) object(name string) *mcfgv1.MachineConfigNode {
	c.t.Helper()
	mcn, err := c.mcns().Get(c.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(c.t, err)
	return mcn
}

// createObject creates an object, as another process does.
func (c *cluster) createObject(name string) {
	c.t.Helper()
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "of another process"}}
	c.done(c.mcns().Create(c.t.Context(), mcn, metav1.CreateOptions{}))
}

// changeObject updates the object of the node named node, as another process does.
func (c *cluster) changeObject(change func(*mcfgv1.MachineConfigNode)) {
	c.t.Helper()
	mcn := c.object("node").DeepCopy()
	change(mcn)
	c.done(c.mcns().Update(c.t.Context(), mcn, metav1.UpdateOptions{}))
}

// spec returns the pool and the desired config in the object of the node named node, or "" if there is no object.
func (c *cluster) spec() string {
	c.t.Helper()
	mcn := c.object("node")
	if mcn == nil {
		return ""
	}
	return mcn.Spec.Pool.Name + " " + mcn.Spec.ConfigVersion.Desired
}

// failOnce makes the first request of a kind fail, once the controller is idle.
func (c *cluster) failOnce(verb, resource string, err error) {
	synctest.Wait()
	var failed atomic.Bool
	react := func(clienttesting.Action) (bool, runtime.Object, error) {
		if failed.Swap(true) {
			return false, nil, nil
		}
		return true, nil, err
	}
	c.kube.PrependReactor(verb, resource, react)
	c.mcfg.PrependReactor(verb, resource, react)
}

// failPatches makes the patches of objects fail, once the controller is idle. With nil, no patch fails.
func (c *cluster) failPatches(err error) {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.patchErr = err
}

// patch is the reactor of failPatches.
func (c *cluster) patch(clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.patchErr != nil, nil, c.patchErr
}

// writes returns the verb and the name of each write since the last call, in order.
func (c *cluster) writes() []string {
	var list []string
	for _, action := range c.mcfg.Actions() {
		if action.GetResource().Resource != "machineconfignodes" {
			continue
		}
		resource := strings.TrimSuffix(" "+action.GetSubresource(), " ")
		switch a := action.(type) {
		case clienttesting.CreateActionImpl:
			list = append(list, "create "+a.Object.(*mcfgv1.MachineConfigNode).Name+resource)
		case clienttesting.PatchAction:
			list = append(list, "patch "+a.GetName()+resource)
		case clienttesting.DeleteAction:
			list = append(list, "delete "+a.GetName()+resource)
		}
	}
	c.mcfg.ClearActions()
	return list
}
