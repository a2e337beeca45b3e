package pool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestMain fails if a test leaks a goroutine.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// fakeCluster is an in-memory cluster. Its tests run in a bubble of synctest: time advances only
// while all goroutines are blocked, so that "nothing more happens" needs no sleep.
type fakeCluster struct {
	t    *testing.T
	kube *kubefake.Clientset
	mcfg *mcfgfake.Clientset

	mu        sync.Mutex
	writes    map[string]int // by pool
	bodies    []string       // of the patches that were tried
	conflicts int
	syncs     int // of all pools
	version   int // the last resource version
	log       bytes.Buffer
	// before is called before each patch, which fails with its error.
	before func(name string) error
}

// inBubble runs a test on a cluster with these objects.
func inBubble(t *testing.T, test func(t *testing.T, c *fakeCluster), pools []*mcfgv1.MachineConfigPool, ns nodes, ms mcns) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &fakeCluster{t: t, kube: kubefake.NewClientset(), mcfg: mcfgfake.NewClientset(), writes: map[string]int{}, version: 100}
		c.mcfg.PrependReactor("patch", "machineconfigpools", c.patch)
		c.mcfg.PrependWatchReactor("machineconfigpools", c.watchLate)
		for _, p := range pools {
			c.createPool(p)
		}
		for _, n := range ns {
			c.done(c.kube.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{}))
		}
		for _, m := range ms {
			c.done(c.mcfg.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), m, metav1.CreateOptions{}))
		}
		test(t, c)
	})
}

// run starts a Controller with informers of its own, and waits until it is idle. stop stops it,
// and waits for its end.
func (c *fakeCluster) run(change ...func(*pool.Config)) (controller *pool.Controller, stop func()) {
	c.t.Helper()
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(c)))
	ctx, cancel := context.WithCancel(klog.NewContext(c.t.Context(), logger))
	kube := informers.NewSharedInformerFactoryWithOptions(c.kube, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(c.mcfg, 0, mcfginformers.WithTransform(pool.Trim))
	config := pool.Config{
		Client:             c.mcfg,
		Nodes:              kube.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
		Image:              c.noImage,
	}
	for _, f := range change {
		f(&config)
	}
	controller, err := pool.New(config)
	require.NoError(c.t, err)
	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(c.t, controller.Run(ctx, 2)) })
	synctest.Wait()
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		kube.Shutdown()
		mcfg.Shutdown()
	})
	c.t.Cleanup(stop)
	return controller, stop
}

// Write is the log of the controllers.
func (c *fakeCluster) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Write(line)
}

// logged returns the lines of the log since the last call.
func (c *fakeCluster) logged() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.log.Reset()
	return strings.FieldsFunc(c.log.String(), func(r rune) bool { return r == '\n' })
}

// noImage counts its calls: one for each sync.
func (c *fakeCluster) noImage(*mcfgv1.MachineConfigPool) pool.Image {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.syncs++
	return pool.Image{}
}

// advance lets time pass, and waits until the controller is idle.
func (c *fakeCluster) advance(d time.Duration) {
	c.t.Helper()
	<-time.After(d)
	synctest.Wait()
}

// patch answers a merge patch as an API server does: it checks the resource version, and
// gives a new one.
func (c *fakeCluster) patch(action k8stesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	patch := action.(k8stesting.PatchAction)
	c.bodies = append(c.bodies, string(patch.GetPatch()))
	if c.before != nil {
		c.mu.Unlock()
		err := c.before(patch.GetName())
		c.mu.Lock()
		if err != nil {
			return true, nil, err
		}
	}
	var body map[string]any
	if err := json.Unmarshal(patch.GetPatch(), &body); err != nil {
		return true, nil, err
	}
	stored, err := c.mcfg.Tracker().Get(action.GetResource(), "", patch.GetName())
	if err != nil {
		return true, nil, err
	}
	metadata := body["metadata"].(map[string]any)
	if metadata["resourceVersion"] != stored.(*mcfgv1.MachineConfigPool).ResourceVersion {
		c.conflicts++
		return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), patch.GetName(), nil)
	}
	metadata["resourceVersion"] = c.nextVersion()
	changed, err := json.Marshal(body)
	if err != nil {
		return true, nil, err
	}
	c.writes[patch.GetName()]++
	return k8stesting.ObjectReaction(c.mcfg.Tracker())(k8stesting.NewRootPatchSubresourceAction(
		action.GetResource(), patch.GetName(), patch.GetPatchType(), changed, "status"))
}

// lag is the time from a write of a pool to its watch event.
const lag = time.Millisecond

// watchLate is a watch of pools whose events come after lag.
func (c *fakeCluster) watchLate(action k8stesting.Action) (bool, watch.Interface, error) {
	changes, err := c.mcfg.Tracker().Watch(action.GetResource(), "")
	if err != nil {
		return true, nil, err
	}
	late := make(chan watch.Event, 1000)
	proxy := watch.NewProxyWatcher(late)
	go func() {
		defer changes.Stop()
		for {
			select {
			case <-proxy.StopChan():
				return
			case change := <-changes.ResultChan():
				select {
				case <-proxy.StopChan():
					return
				case <-time.After(lag):
					late <- change
				}
			}
		}
	}()
	return true, proxy, nil
}

func (c *fakeCluster) nextVersion() string {
	c.version++
	return strconv.Itoa(c.version)
}

// done fails the test if a request has failed, and waits until the controller is idle.
func (c *fakeCluster) done(_ any, err error) {
	c.t.Helper()
	require.NoError(c.t, err)
	synctest.Wait()
}

func (c *fakeCluster) createPool(p *mcfgv1.MachineConfigPool) {
	c.t.Helper()
	p.ResourceVersion = c.nextVersion()
	c.done(c.mcfg.MachineconfigurationV1().MachineConfigPools().Create(c.t.Context(), p, metav1.CreateOptions{}))
}

func (c *fakeCluster) deletePool(name string) {
	c.t.Helper()
	require.NoError(c.t, c.mcfg.MachineconfigurationV1().MachineConfigPools().Delete(c.t.Context(), name, metav1.DeleteOptions{}))
}

func (c *fakeCluster) pool(name string) *mcfgv1.MachineConfigPool {
	c.t.Helper()
	p, err := c.mcfg.MachineconfigurationV1().MachineConfigPools().Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	return p
}

// changePool updates a pool, and waits until the controller is idle.
func (c *fakeCluster) changePool(name string, change func(*mcfgv1.MachineConfigPool)) {
	c.t.Helper()
	c.overwrite(name, change)
	c.advance(2 * lag)
}

// overwrite is changePool for before: it does not wait.
func (c *fakeCluster) overwrite(name string, change func(*mcfgv1.MachineConfigPool)) {
	c.t.Helper()
	resource := mcfgv1.GroupVersion.WithResource("machineconfigpools")
	stored, err := c.mcfg.Tracker().Get(resource, "", name)
	require.NoError(c.t, err)
	p := stored.DeepCopyObject().(*mcfgv1.MachineConfigPool)
	change(p)
	c.mu.Lock()
	p.ResourceVersion = c.nextVersion()
	c.mu.Unlock()
	require.NoError(c.t, c.mcfg.Tracker().Update(resource, p, ""))
}

// changeNode updates a Node, and waits until the controller is idle; changeMCN does so for an MCN.
func (c *fakeCluster) changeNode(name string, change func(*corev1.Node)) {
	c.t.Helper()
	n, err := c.kube.CoreV1().Nodes().Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	n = n.DeepCopy()
	change(n)
	c.done(c.kube.CoreV1().Nodes().Update(c.t.Context(), n, metav1.UpdateOptions{}))
}

func (c *fakeCluster) changeMCN(name string, change func(*mcfgv1.MachineConfigNode)) {
	c.t.Helper()
	m, err := c.mcfg.MachineconfigurationV1().MachineConfigNodes().Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	m = m.DeepCopy()
	change(m)
	c.done(c.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(c.t.Context(), m, metav1.UpdateOptions{}))
}

// written returns the number of writes of a pool since the last call.
func (c *fakeCluster) written(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.writes[name]
	c.writes[name] = 0
	return n
}

// tried returns the bodies of all patches so far, including those that failed.
func (c *fakeCluster) tried() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies)
}

// conflicted returns how many patches have failed with a conflict.
func (c *fakeCluster) conflicted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conflicts
}

// synced returns the number of syncs, of any pool, since the last call.
func (c *fakeCluster) synced() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.syncs
	c.syncs = 0
	return n
}
