package pool_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// fakeCluster is a cluster in memory. Tests of it run in a bubble of synctest: its time stands
// still until everybody waits, so that "nothing more happens" can be told without sleeping.
type fakeCluster struct {
	t    *testing.T
	kube *kubefake.Clientset
	mcfg *mcfgfake.Clientset

	mu        sync.Mutex
	writes    map[string]int // by pool
	bodies    []string       // of the patches that were tried
	conflicts int
	syncs     int // how often a pool was looked at
	version   int // the last resource version
	// before is called before a patch is tried; an error is its answer.
	before func(name string) error
}

// inBubble runs a test on a cluster that has these objects.
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
			_, err := c.kube.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		for _, m := range ms {
			_, err := c.mcfg.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), m, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		test(t, c)
	})
}

// run runs a Controller in a process of its own, and returns when it has done what there was to
// do. stop ends it, and waits until it has.
func (c *fakeCluster) run(change ...func(*pool.Config)) (stop func()) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
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
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, 2) }()
	synctest.Wait()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			assert.NoError(c.t, <-ended)
			kube.Shutdown()
			mcfg.Shutdown()
		})
	}
	c.t.Cleanup(stop)
	return stop
}

// noImage counts how often it is asked.
func (c *fakeCluster) noImage(*mcfgv1.MachineConfigPool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.syncs++
	return ""
}

// advance lets time pass, and waits until all is done that there is to do then.
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
	there, err := c.mcfg.Tracker().Get(action.GetResource(), "", patch.GetName())
	if err != nil {
		return true, nil, err
	}
	metadata := body["metadata"].(map[string]any)
	if metadata["resourceVersion"] != there.(*mcfgv1.MachineConfigPool).ResourceVersion {
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

// lag is how much later an informer hears of a write to a pool than the one who made it.
const lag = time.Millisecond

// watchLate is a watch of pools that lags.
func (c *fakeCluster) watchLate(action k8stesting.Action) (bool, watch.Interface, error) {
	changes, err := c.mcfg.Tracker().Watch(action.GetResource(), "")
	if err != nil {
		return true, nil, err
	}
	late := make(chan watch.Event)
	proxy := watch.NewProxyWatcher(late)
	go func() {
		for change := range changes.ResultChan() {
			select {
			case <-proxy.StopChan():
				return
			case <-time.After(lag):
			}
			select {
			case <-proxy.StopChan():
				return
			case late <- change:
			}
		}
	}()
	go func() {
		<-proxy.StopChan()
		changes.Stop()
	}()
	return true, proxy, nil
}

func (c *fakeCluster) nextVersion() string {
	c.version++
	return strconv.Itoa(c.version)
}

func (c *fakeCluster) createPool(p *mcfgv1.MachineConfigPool) {
	c.t.Helper()
	p.ResourceVersion = c.nextVersion()
	_, err := c.mcfg.MachineconfigurationV1().MachineConfigPools().Create(c.t.Context(), p, metav1.CreateOptions{})
	require.NoError(c.t, err)
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

// changePool waits until the controller has done what there is to do at once.
func (c *fakeCluster) changePool(name string, change func(*mcfgv1.MachineConfigPool)) {
	c.t.Helper()
	c.overwrite(name, change)
	c.advance(2 * lag)
}

// overwrite is changePool for the one who answers a write: it waits for nobody.
func (c *fakeCluster) overwrite(name string, change func(*mcfgv1.MachineConfigPool)) {
	c.t.Helper()
	resource := mcfgv1.GroupVersion.WithResource("machineconfigpools")
	there, err := c.mcfg.Tracker().Get(resource, "", name)
	require.NoError(c.t, err)
	p := there.DeepCopyObject().(*mcfgv1.MachineConfigPool)
	change(p)
	c.mu.Lock()
	p.ResourceVersion = c.nextVersion()
	c.mu.Unlock()
	require.NoError(c.t, c.mcfg.Tracker().Update(resource, p, ""))
}

// changeNode waits until the controller has done what there is to do at once; so does changeMCN.
func (c *fakeCluster) changeNode(name string, change func(*corev1.Node)) {
	c.t.Helper()
	n, err := c.kube.CoreV1().Nodes().Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	n = n.DeepCopy()
	change(n)
	_, err = c.kube.CoreV1().Nodes().Update(c.t.Context(), n, metav1.UpdateOptions{})
	require.NoError(c.t, err)
	synctest.Wait()
}

func (c *fakeCluster) changeMCN(name string, change func(*mcfgv1.MachineConfigNode)) {
	c.t.Helper()
	m, err := c.mcfg.MachineconfigurationV1().MachineConfigNodes().Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	m = m.DeepCopy()
	change(m)
	_, err = c.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(c.t.Context(), m, metav1.UpdateOptions{})
	require.NoError(c.t, err)
	synctest.Wait()
}

// written is how many writes there were of a pool since the last call.
func (c *fakeCluster) written(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.writes[name]
	c.writes[name] = 0
	return n
}

// looked is how often any pool was looked at since the last call.
func (c *fakeCluster) looked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.syncs
	c.syncs = 0
	return n
}
