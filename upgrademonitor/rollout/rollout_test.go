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
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func TestOneObjectForEachNode(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*corev1.Node)
		pool    string // "": there is no object
		desired string
	}{
		"as it is":           {func(*corev1.Node) {}, "worker", "rendered-2"},
		"running":            {func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, "worker", "rendered-2"},
		"pending":            {func(n *corev1.Node) { n.Status.Phase = corev1.NodePending }, "", ""},
		"provisioning":       {func(n *corev1.Node) { n.Status.Phase = "Provisioning" }, "", ""},
		"windows":            {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }, "", ""},
		"linux":              {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "linux" }, "worker", "rendered-2"},
		"no annotations":     {func(n *corev1.Node) { n.Annotations = nil }, "worker", "not-yet-set"},
		"no pool":            {func(n *corev1.Node) { n.Labels = nil }, "not-yet-set", "rendered-2"},
		"custom pool":        {func(n *corev1.Node) { n.Labels["role-infra"] = "" }, "infra", "rendered-2"},
		"master as well":     {func(n *corev1.Node) { n.Labels["role-master"] = "" }, "master", "rendered-2"},
		"two custom pools":   {func(n *corev1.Node) { n.Labels["role-infra"], n.Labels["role-gpu"] = "", "" }, "not-yet-set", "rendered-2"},
		"a config of no CRD": {func(n *corev1.Node) { annotate(n, "rendered-1", "Not A Name") }, "worker", "not-yet-set"},
	} {
		t.Run(name, func(t *testing.T) {
			node := newNode("node", []string{"worker"}, "rendered-1", "rendered-2")
			tc.change(node)
			w := newWorld(t, node)
			w.run()
			w.settle()
			if tc.pool == "" {
				assert.Nil(t, w.object("node"))
				return
			}
			mcn := w.eventually("node", exists)
			assert.Equal(t, mcfgv1.MachineConfigNodeSpec{
				Node:          mcfgv1.MCOObjectReference{Name: "node"},
				Pool:          mcfgv1.MCOObjectReference{Name: tc.pool},
				ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: tc.desired},
			}, mcn.Spec)
			assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "node", UID: "uid of node"}}, mcn.OwnerReferences)
			assert.Empty(t, mcn.Status, "that is the daemon's")
		})
	}
}

// TestItFollowsTheNode has what changes carried into the object, each by one write.
func TestItFollowsTheNode(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	node.Status.Phase = corev1.NodePending
	w := newWorld(t, node)
	w.run()
	w.settle()
	assert.Nil(t, w.object("node"))

	w.change(func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning })
	w.eventually("node", says("worker", "rendered-1"))
	w.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	w.eventually("node", says("worker", "rendered-2"))
	w.change(func(n *corev1.Node) { n.Labels["role-infra"] = "" })
	w.eventually("node", says("infra", "rendered-2"))
	w.change(func(n *corev1.Node) { delete(n.Labels, "role-infra") })
	w.eventually("node", says("worker", "rendered-2"))

	before := len(w.writes())
	w.change(func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	})
	w.change(func(n *corev1.Node) { n.Labels = nil })
	w.settle()
	assert.True(t, says("worker", "rendered-2")(w.object("node")), "a pool is never overwritten by none")
	assert.Len(t, w.writes(), before+1, "the settler's")
}

// TestItFollowsThePools has the pools change, and the nodes stay.
func TestItFollowsThePools(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker", "new"}, "rendered-1", "rendered-1"))
	w.run()
	w.eventually("node", says("worker", "rendered-1"))

	pools := w.mcfg.MachineconfigurationV1().MachineConfigPools()
	_, err := pools.Create(t.Context(), newPool("new"), metav1.CreateOptions{})
	require.NoError(t, err)
	w.eventually("node", says("new", "rendered-1"))

	narrow := newPool("new")
	narrow.Spec.NodeSelector.MatchLabels["only"] = "others"
	_, err = pools.Update(t.Context(), narrow, metav1.UpdateOptions{})
	require.NoError(t, err)
	w.eventually("node", says("worker", "rendered-1"))
}

// TestConflictOfPools: an error event, and not a guess. The rest goes on.
func TestConflictOfPools(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker", "infra"}, "rendered-1", "rendered-1"))
	w.run()
	w.eventually("node", says("infra", "rendered-1"))

	w.change(func(n *corev1.Node) { n.Labels["role-gpu"] = "" })
	assert.Equal(t, "Warning PoolConflict node node is wanted by the custom pools gpu, infra: "+
		"change its labels or their nodeSelectors, so that only one of them wants it", <-w.events.Events)
	w.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	w.eventually("node", says("infra", "rendered-2"))
	assert.Empty(t, w.events.Events, "told once")

	w.change(func(n *corev1.Node) { delete(n.Labels, "role-infra") })
	w.eventually("node", says("gpu", "rendered-2"))
}

// TestInvalidSelector is told of the pool, once, and not of every node. Pools stay as they
// are as long as it cannot be read.
func TestInvalidSelector(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"), newNode("other", []string{"worker"}, "rendered-1", "rendered-1"))
	w.run()
	w.eventually("node", says("worker", "rendered-1"))
	w.eventually("other", says("worker", "rendered-1"))

	broken := newPool("broken")
	broken.Spec.NodeSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Likes"}}
	_, err := w.mcfg.MachineconfigurationV1().MachineConfigPools().Create(t.Context(), broken, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Contains(t, <-w.events.Events, "Warning InvalidNodeSelector MachineConfigPool broken: mend its nodeSelector: ")
	w.change(func(n *corev1.Node) { n.Labels["role-infra"] = ""; annotate(n, "", "rendered-2") })
	w.eventually("node", says("worker", "rendered-2"))
	assert.Empty(t, w.events.Events)

	require.NoError(t, w.mcfg.MachineconfigurationV1().MachineConfigPools().Delete(t.Context(), "broken", metav1.DeleteOptions{}))
	w.eventually("node", says("infra", "rendered-2"))
	assert.Empty(t, w.events.Events)
}

// TestDriftIsUndone has somebody else change the spec.
func TestDriftIsUndone(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	w.run()
	mcn := w.eventually("node", exists).DeepCopy()
	mcn.Spec.Pool.Name = "somewhere"
	_, err := w.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	w.eventually("node", says("worker", "rendered-1"))
}

// TestImages follow the node in image mode, and go with the annotation.
func TestImages(t *testing.T) {
	image := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	node.Annotations[upgrademonitor.DesiredImageAnnotation] = image
	w := newWorld(t, node)
	w.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	names := func(image string) func(*mcfgv1.MachineConfigNode) bool {
		return func(mcn *mcfgv1.MachineConfigNode) bool {
			return mcn != nil && string(mcn.Spec.ConfigImage.DesiredImage) == image
		}
	}
	w.eventually("node", names(image))
	w.change(func(n *corev1.Node) { delete(n.Annotations, upgrademonitor.DesiredImageAnnotation) })
	w.eventually("node", names(""))
}

// TestRestart makes no write where all is right, and finds what has changed meanwhile.
func TestRestart(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"), newNode("other", []string{"master"}, "a", "b"))
	w.run()
	w.eventually("node", exists)
	w.eventually("other", exists)
	w.stop()

	w.mcfg.ClearActions()
	w.run()
	w.settle()
	assert.Len(t, w.writes(), 1, "the settler's: %v", w.writes())
	w.stop()

	w.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	w.run()
	w.eventually("node", says("worker", "rendered-2"))
}

// TestAnAPIServerThatFails has the first attempts fail, each at another request.
func TestAnAPIServerThatFails(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	w.failNext("get nodes", "patch machineconfignodes")
	w.run()
	w.eventuallyRetried("node", says("worker", "rendered-1"))
	assert.Equal(t, []string{"application/apply-patch+yaml node", "application/apply-patch+yaml node"}, w.writes())
}

// TestAnewUnderTheSameName: the new machine does not inherit what the old one has reported.
func TestAnewUnderTheSameName(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	w := newWorld(t, node)
	w.run()
	old := w.eventually("node", exists).DeepCopy()
	old.Status.Conditions = []metav1.Condition{{Type: "Updated", Status: metav1.ConditionTrue}}
	_, err := w.mcfg.MachineconfigurationV1().MachineConfigNodes().UpdateStatus(t.Context(), old, metav1.UpdateOptions{})
	require.NoError(t, err)

	require.NoError(t, w.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
	anew := node.DeepCopy()
	anew.UID = "another"
	w.create(anew)
	mcn := w.eventually("node", ownedBy("another"))
	assert.Empty(t, mcn.Status.Conditions)
	assert.Contains(t, w.writes(), "delete node")
}

// TestOrphans leaves the object of a Node that is gone to the garbage collector for a while.
func TestOrphans(t *testing.T) {
	w := newWorld(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"), newNode("back", []string{"worker"}, "rendered-1", "rendered-1"))
	w.run()
	w.eventually("node", exists)
	w.eventually("back", exists)
	require.NoError(t, w.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
	require.NoError(t, w.kube.CoreV1().Nodes().Delete(t.Context(), "back", metav1.DeleteOptions{}))
	w.settle()
	w.clock.Step(rollout.DefaultOrphanGrace - time.Second)
	w.settle()
	assert.NotNil(t, w.object("node"), "the garbage collector has a minute")

	w.create(newNode("back", []string{"worker"}, "rendered-1", "rendered-1"))
	w.settle()
	w.eventuallyRetried("node", gone)
	assert.NotNil(t, w.object("back"))
	assert.NotContains(t, w.writes(), "delete back")
}

// TestGraceOfTheNext has a node go, come back and go again: its next object has all of the
// grace, and not what was left of that of the object before.
func TestGraceOfTheNext(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	w := newWorld(t, node)
	w.run()
	mcn := w.eventually("node", exists).DeepCopy()
	mcn.UID = "of the first object"
	_, err := w.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	w.settle()
	nodes := w.kube.CoreV1().Nodes()
	require.NoError(t, nodes.Delete(t.Context(), "node", metav1.DeleteOptions{}))
	w.settle()
	w.clock.Step(rollout.DefaultOrphanGrace - 2*time.Second)

	anew := node.DeepCopy()
	anew.UID = "another"
	w.create(anew)
	w.eventually("node", ownedBy("another"))
	require.NoError(t, nodes.Delete(t.Context(), "node", metav1.DeleteOptions{}))
	w.settle()
	w.clock.Step(3 * time.Second)
	w.settle()
	assert.NotNil(t, w.object("node"), "it went three seconds ago")
	w.eventuallyRetried("node", gone)
}

// TestConflictOfANodeMadeAnew is told again, for the event is the Node's.
func TestConflictOfANodeMadeAnew(t *testing.T) {
	node := newNode("node", []string{"infra", "gpu"}, "rendered-1", "rendered-1")
	w := newWorld(t, node)
	w.run()
	w.eventually("node", exists)
	assert.Contains(t, <-w.events.Events, rollout.PoolConflict)
	require.NoError(t, w.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
	anew := node.DeepCopy()
	anew.UID = "another"
	w.create(anew)
	w.eventually("node", ownedBy("another"))
	w.settle()
	require.Len(t, w.events.Events, 1)
	assert.Contains(t, <-w.events.Events, rollout.PoolConflict)
}

func ownedBy(uid types.UID) func(*mcfgv1.MachineConfigNode) bool {
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		return mcn != nil && mcn.OwnerReferences[0].UID == uid
	}
}

// TestCacheOfNodesIsBehind has the daemon write what its node says before the controller's
// cache has heard of it: it is not undone.
func TestCacheOfNodesIsBehind(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	w := newWorld(t, node)
	w.run()
	mcn := w.eventually("node", exists).DeepCopy()
	ahead := node.DeepCopy()
	annotate(ahead, "", "rendered-2")
	w.kube.PrependReactor("get", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.(clienttesting.GetAction).GetName() == "node", ahead, nil
	})

	mcn.Spec.ConfigVersion.Desired = "rendered-2"
	_, err := w.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(t, err)
	w.settle()
	w.settle()
	assert.True(t, says("worker", "rendered-2")(w.object("node")))
	assert.Len(t, w.writes(), 3, "the node's and the settlers': %v", w.writes())
}

func TestConfigErrors(t *testing.T) {
	for field, spoil := range map[string]func(*rollout.Config){
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
		spoil(&config)
		_, err = rollout.New(config)
		var wrong *rollout.ConfigError
		require.ErrorAs(t, err, &wrong, field)
		assert.Equal(t, field, wrong.Field)
		assert.ErrorContains(t, err, "rollout: Config."+field+" is nil: pass ")
	}
}

// TestRunAfterTheEnd: a Run that is called, or gets going, when all is over already is no
// failure.
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
	assert.ErrorContains(t, controller.Run(t.Context(), 1), "stopped", "only the informers are over")
}
