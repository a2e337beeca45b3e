package rollout_test

import (
	"context"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func TestOneObjectForEachNode(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*corev1.Node)
		pool    string // "": no object
		desired string
	}{
		"unchanged":        {func(*corev1.Node) {}, "worker", "rendered-2"},
		"running":          {func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, "worker", "rendered-2"},
		"pending":          {func(n *corev1.Node) { n.Status.Phase = corev1.NodePending }, "", ""},
		"provisioning":     {func(n *corev1.Node) { n.Status.Phase = "Provisioning" }, "", ""},
		"windows":          {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }, "", ""},
		"linux":            {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "linux" }, "worker", "rendered-2"},
		"no annotations":   {func(n *corev1.Node) { n.Annotations = nil }, "worker", "not-yet-set"},
		"no pool":          {func(n *corev1.Node) { n.Labels = nil }, "not-yet-set", "rendered-2"},
		"custom pool":      {func(n *corev1.Node) { n.Labels["role-infra"] = "" }, "infra", "rendered-2"},
		"master as well":   {func(n *corev1.Node) { n.Labels["role-master"] = "" }, "master", "rendered-2"},
		"two custom pools": {func(n *corev1.Node) { n.Labels["role-infra"], n.Labels["role-gpu"] = "", "" }, "not-yet-set", "rendered-2"},
		"invalid config":   {func(n *corev1.Node) { annotate(n, "rendered-1", "Not A Name") }, "worker", "not-yet-set"},
	} {
		t.Run(name, func(t *testing.T) {
			node := newNode("node", []string{"worker"}, "rendered-1", "rendered-2")
			tc.change(node)
			f := newFixture(t, node)
			f.run()
			f.waitForQueue()
			if tc.pool == "" {
				assert.Nil(t, f.object("node"))
				return
			}
			mcn := f.eventually("node", exists)
			assert.Equal(t, mcfgv1.MachineConfigNodeSpec{
				Node:          mcfgv1.MCOObjectReference{Name: "node"},
				Pool:          mcfgv1.MCOObjectReference{Name: tc.pool},
				ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: tc.desired},
			}, mcn.Spec)
			assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "node", UID: "uid of node"}}, mcn.OwnerReferences)
			assert.Empty(t, mcn.Status, "only the daemon writes it")
		})
	}
}

// TestItFollowsTheNode: each change of the Node that concerns the object is one write.
func TestItFollowsTheNode(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	node.Status.Phase = corev1.NodePending
	f := newFixture(t, node)
	f.run()
	f.waitForQueue()
	assert.Nil(t, f.object("node"))

	f.change(func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning })
	f.eventually("node", hasSpec("worker", "rendered-1"))
	f.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	f.eventually("node", hasSpec("worker", "rendered-2"))
	f.change(func(n *corev1.Node) { n.Labels["role-infra"] = "" })
	f.eventually("node", hasSpec("infra", "rendered-2"))
	f.change(func(n *corev1.Node) { delete(n.Labels, "role-infra") })
	f.eventually("node", hasSpec("worker", "rendered-2"))

	before := len(f.writes())
	f.change(func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	})
	f.change(func(n *corev1.Node) { n.Labels = nil })
	f.waitForQueue()
	assert.True(t, hasSpec("worker", "rendered-2")(f.object("node")), "a pool is never reset to none")
	assert.Len(t, f.writes(), before+1, "the marker's")
}

// TestItFollowsThePools: the pools change, the nodes do not.
func TestItFollowsThePools(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker", "new"}, "rendered-1", "rendered-1"))
	f.run()
	f.eventually("node", hasSpec("worker", "rendered-1"))

	pools := f.mcfg.MachineconfigurationV1().MachineConfigPools()
	_, err := pools.Create(t.Context(), newPool("new"), metav1.CreateOptions{})
	require.NoError(t, err)
	f.eventually("node", hasSpec("new", "rendered-1"))

	narrow := newPool("new")
	narrow.Spec.NodeSelector.MatchLabels["only"] = "others"
	_, err = pools.Update(t.Context(), narrow, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.eventually("node", hasSpec("worker", "rendered-1"))
}

// TestConflictOfPools: a warning event, and the pool is kept. The rest is kept up to date.
func TestConflictOfPools(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker", "infra"}, "rendered-1", "rendered-1"))
	f.run()
	f.eventually("node", hasSpec("infra", "rendered-1"))

	f.change(func(n *corev1.Node) { n.Labels["role-gpu"] = "" })
	assert.Equal(t, "Warning PoolConflict node node is selected by conflicting pools (gpu, infra): "+
		"change its labels or their nodeSelectors, so that only one of them selects it", <-f.events.Events)
	f.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	f.eventually("node", hasSpec("infra", "rendered-2"))
	assert.Empty(t, f.events.Events, "recorded once")

	f.change(func(n *corev1.Node) { delete(n.Labels, "role-infra") })
	f.eventually("node", hasSpec("gpu", "rendered-2"))
}

// TestInvalidSelector: one event of the pool, and none of its nodes. The objects keep their
// pools until the selector is valid.
func TestInvalidSelector(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"), newNode("other", []string{"worker"}, "rendered-1", "rendered-1"))
	f.run()
	f.eventually("node", hasSpec("worker", "rendered-1"))
	f.eventually("other", hasSpec("worker", "rendered-1"))

	broken := newPool("broken")
	broken.Spec.NodeSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Likes"}}
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigPools().Create(t.Context(), broken, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Contains(t, <-f.events.Events, "Warning InvalidNodeSelector MachineConfigPool broken: invalid nodeSelector: ")
	f.change(func(n *corev1.Node) { n.Labels["role-infra"] = ""; annotate(n, "", "rendered-2") })
	f.eventually("node", hasSpec("worker", "rendered-2"))
	assert.Empty(t, f.events.Events)

	require.NoError(t, f.mcfg.MachineconfigurationV1().MachineConfigPools().Delete(t.Context(), "broken", metav1.DeleteOptions{}))
	f.eventually("node", hasSpec("infra", "rendered-2"))
	assert.Empty(t, f.events.Events)
}

// TestDriftIsUndone: another process changes the spec.
func TestDriftIsUndone(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	f.run()
	mcn := f.eventually("node", exists).DeepCopy()
	mcn.Spec.Pool.Name = "somewhere"
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.eventually("node", hasSpec("worker", "rendered-1"))
}

// TestImages: in image mode the desired image is set, and cleared with its annotation.
func TestImages(t *testing.T) {
	image := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	node.Annotations[upgrademonitor.DesiredImageAnnotation] = image
	f := newFixture(t, node)
	f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	hasImage := func(image string) func(*mcfgv1.MachineConfigNode) bool {
		return func(mcn *mcfgv1.MachineConfigNode) bool {
			return mcn != nil && string(mcn.Spec.ConfigImage.DesiredImage) == image
		}
	}
	f.eventually("node", hasImage(image))
	f.change(func(n *corev1.Node) { delete(n.Annotations, upgrademonitor.DesiredImageAnnotation) })
	f.eventually("node", hasImage(""))
}

// TestRestart writes nothing that is up to date, and syncs what has changed meanwhile.
func TestRestart(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"), newNode("other", []string{"master"}, "a", "b"))
	f.run()
	f.eventually("node", exists)
	f.eventually("other", exists)
	f.stop()

	f.mcfg.ClearActions()
	f.run()
	f.waitForQueue()
	assert.Len(t, f.writes(), 1, "the marker's: %v", f.writes())
	f.stop()

	f.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	f.run()
	f.eventually("node", hasSpec("worker", "rendered-2"))
}

// TestAnAPIServerThatFails fails the first attempts, each at another request.
func TestAnAPIServerThatFails(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	f.failNext("get nodes", "create machineconfignodes")
	f.run()
	f.eventuallyRetried("node", hasSpec("worker", "rendered-1"))
	assert.Equal(t, []string{"create node", "create node"}, f.writes())
}

// TestNodeCreatedAgain: the new machine does not inherit the status of the old one.
func TestNodeCreatedAgain(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	f := newFixture(t, node)
	f.run()
	old := f.eventually("node", exists).DeepCopy()
	old.Status.Conditions = []metav1.Condition{{Type: "Updated", Status: metav1.ConditionTrue}}
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().UpdateStatus(t.Context(), old, metav1.UpdateOptions{})
	require.NoError(t, err)

	require.NoError(t, f.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
	replacement := node.DeepCopy()
	replacement.UID = "another"
	f.create(replacement)
	mcn := f.eventually("node", ownedBy("another"))
	assert.Empty(t, mcn.Status.Conditions)
	assert.Contains(t, f.writes(), "delete node")
}

// TestOrphans leaves the object of a Node that is gone to the garbage collector for the grace period.
func TestOrphans(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"), newNode("back", []string{"worker"}, "rendered-1", "rendered-1"))
	f.run()
	f.eventually("node", exists)
	f.eventually("back", exists)
	require.NoError(t, f.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
	require.NoError(t, f.kube.CoreV1().Nodes().Delete(t.Context(), "back", metav1.DeleteOptions{}))
	f.waitForQueue()
	f.clock.Step(rollout.DefaultOrphanGrace - time.Second)
	f.waitForQueue()
	assert.NotNil(t, f.object("node"), "within the grace period")

	f.create(newNode("back", []string{"worker"}, "rendered-1", "rendered-1"))
	f.waitForQueue()
	f.eventuallyRetried("node", gone)
	assert.NotNil(t, f.object("back"))
	assert.NotContains(t, f.writes(), "delete back")
}

// TestOrphanGraceStartsAgain: a node is deleted, created and deleted again. Its next object has
// the whole grace period, not the rest of the previous object's.
func TestOrphanGraceStartsAgain(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	f := newFixture(t, node)
	f.run()
	mcn := f.eventually("node", exists).DeepCopy()
	mcn.UID = "first object"
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.waitForQueue()
	nodes := f.kube.CoreV1().Nodes()
	require.NoError(t, nodes.Delete(t.Context(), "node", metav1.DeleteOptions{}))
	f.waitForQueue()
	f.clock.Step(rollout.DefaultOrphanGrace - 2*time.Second)

	replacement := node.DeepCopy()
	replacement.UID = "another"
	f.create(replacement)
	f.eventually("node", ownedBy("another"))
	require.NoError(t, nodes.Delete(t.Context(), "node", metav1.DeleteOptions{}))
	f.waitForQueue()
	f.clock.Step(3 * time.Second)
	f.waitForQueue()
	assert.NotNil(t, f.object("node"), "its Node was deleted three seconds ago")
	f.eventuallyRetried("node", gone)
}

// TestPoolConflictOfANodeCreatedAgain is recorded again: the event refers to the new Node.
func TestPoolConflictOfANodeCreatedAgain(t *testing.T) {
	node := newNode("node", []string{"infra", "gpu"}, "rendered-1", "rendered-1")
	f := newFixture(t, node)
	f.run()
	f.eventually("node", exists)
	assert.Contains(t, <-f.events.Events, rollout.PoolConflict)
	require.NoError(t, f.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
	replacement := node.DeepCopy()
	replacement.UID = "another"
	f.create(replacement)
	f.eventually("node", ownedBy("another"))
	f.waitForQueue()
	require.Len(t, f.events.Events, 1)
	assert.Contains(t, <-f.events.Events, rollout.PoolConflict)
}

func ownedBy(uid types.UID) func(*mcfgv1.MachineConfigNode) bool {
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		return mcn != nil && mcn.OwnerReferences[0].UID == uid
	}
}

// TestCacheOfNodesIsBehind: the daemon writes a desired config that the controller's cache has
// not received yet. It is not reverted.
func TestCacheOfNodesIsBehind(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	f := newFixture(t, node)
	f.run()
	mcn := f.eventually("node", exists).DeepCopy()
	ahead := node.DeepCopy()
	annotate(ahead, "", "rendered-2")
	f.kube.PrependReactor("get", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.(clienttesting.GetAction).GetName() == "node", ahead, nil
	})

	mcn.Spec.ConfigVersion.Desired = "rendered-2"
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.waitForQueue()
	f.waitForQueue()
	assert.True(t, hasSpec("worker", "rendered-2")(f.object("node")))
	assert.Len(t, f.writes(), 3, "the node's and the markers': %v", f.writes())
}

func TestConfigErrors(t *testing.T) {
	for name, invalidate := range map[string]func(*rollout.Config){
		"Client":             func(c *rollout.Config) { c.Client = nil },
		"KubeClient":         func(c *rollout.Config) { c.KubeClient = (*kubefake.Clientset)(nil) },
		"Nodes":              func(c *rollout.Config) { c.Nodes = nil },
		"Pools":              func(c *rollout.Config) { c.Pools = nil },
		"MachineConfigNodes": func(c *rollout.Config) { c.MachineConfigNodes = nil },
	} {
		core := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0)
		mcfg := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0).Machineconfiguration().V1()
		config := rollout.Config{Client: mcfgfake.NewClientset(), KubeClient: kubefake.NewClientset(),
			Nodes: core.Core().V1().Nodes(), Pools: mcfg.MachineConfigPools(), MachineConfigNodes: mcfg.MachineConfigNodes()}
		_, err := rollout.New(config)
		require.NoError(t, err)
		invalidate(&config)
		_, err = rollout.New(config)
		var invalid *field.Error
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, field.ErrorTypeRequired, invalid.Type)
		assert.Equal(t, "rollout.Config."+name, invalid.Field)
		assert.ErrorContains(t, err, "rollout.Config."+name+": Required value: pass ")
	}
}

// TestRunAfterTheEnd: Run returns no error if its context is done already.
func TestRunAfterTheEnd(t *testing.T) {
	core := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0)
	factory := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0)
	mcfg := factory.Machineconfiguration().V1()
	controller, err := rollout.New(rollout.Config{Client: mcfgfake.NewClientset(), KubeClient: kubefake.NewClientset(),
		Nodes: core.Core().V1().Nodes(), Pools: mcfg.MachineConfigPools(), MachineConfigNodes: mcfg.MachineConfigNodes()})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	core.StartWithContext(ctx)
	factory.StartWithContext(ctx)
	cancel()
	core.Shutdown()
	factory.Shutdown()
	assert.NoError(t, controller.Run(ctx, 1))
	assert.ErrorContains(t, controller.Run(t.Context(), 1), "stopped", "only the informers have stopped")
}
