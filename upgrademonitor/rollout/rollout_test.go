package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func one(pools ...string) []*corev1.Node { return []*corev1.Node{newNode("node", pools...)} }

func TestEachNodeHasOneObject(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*corev1.Node)
		pool    string // "" if there is no object
		desired string
	}{
		"an updated node":             {func(*corev1.Node) {}, "worker", "rendered-1"},
		"a node in an update":         {desires("rendered-2"), "worker", "rendered-2"},
		"running":                     {func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, "worker", "rendered-1"},
		"pending":                     {func(n *corev1.Node) { n.Status.Phase = corev1.NodePending }, "", ""},
		"provisioning":                {func(n *corev1.Node) { n.Status.Phase = "Provisioning" }, "", ""},
		"windows":                     {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }, "", ""},
		"linux":                       {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "linux" }, "worker", "rendered-1"},
		"no annotations":              {func(n *corev1.Node) { n.Annotations = nil }, "worker", "not-yet-set"},
		"no pool":                     {func(n *corev1.Node) { n.Labels = nil }, "not-yet-set", "rendered-1"},
		"custom pool":                 {func(n *corev1.Node) { n.Labels["role-infra"] = "" }, "infra", "rendered-1"},
		"the pools worker and master": {func(n *corev1.Node) { n.Labels["role-master"] = "" }, "master", "rendered-1"},
		"two custom pools":            {func(n *corev1.Node) { n.Labels["role-infra"], n.Labels["role-gpu"] = "", "" }, "not-yet-set", "rendered-1"},
		"invalid config":              {desires("Not A Name"), "worker", "not-yet-set"},
	} {
		t.Run(name, func(t *testing.T) {
			nodes := one("worker")
			tc.change(nodes[0])
			inBubble(t, fourPools, nodes, func(t *testing.T, c *cluster) {
				c.run()
				mcn := c.object("node")
				if tc.pool == "" {
					assert.Nil(t, mcn)
					return
				}
				require.NotNil(t, mcn)
				c.stop()
				assert.Equal(t, name == "invalid config", strings.Contains(c.log.String(), `"Ignoring an invalid annotation of the Node" node="node" cause="metadata.annotations[machineconfiguration.openshift.io/desiredConfig]: `))
				assert.Equal(t, mcfgv1.MachineConfigNodeSpec{
					Node:          mcfgv1.MCOObjectReference{Name: "node"},
					Pool:          mcfgv1.MCOObjectReference{Name: tc.pool},
					ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: tc.desired},
				}, mcn.Spec)
				assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "node", UID: "uid of node"}}, mcn.OwnerReferences)
				assert.Empty(t, mcn.Status, "only the daemon writes the status")
			})
		})
	}
}

// A change of the Node causes one write if the object must change, and otherwise no write.
func TestTheObjectFollowsTheNode(t *testing.T) {
	nodes := one("worker")
	nodes[0].Status.Phase = corev1.NodePending
	inBubble(t, fourPools, nodes, func(t *testing.T, c *cluster) {
		c.run()
		assert.Empty(t, c.spec())
		for _, test := range []struct {
			change func(*corev1.Node)
			want   string
			writes []string
		}{
			{func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, "worker rendered-1", []string{"create node"}},
			{desires("rendered-2"), "worker rendered-2", []string{"patch node"}},
			{func(n *corev1.Node) { n.Labels["role-infra"] = "" }, "infra rendered-2", []string{"patch node"}},
			{func(n *corev1.Node) { delete(n.Labels, "role-infra") }, "worker rendered-2", []string{"patch node"}},
			{func(n *corev1.Node) {
				n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
			}, "worker rendered-2", nil},
			{func(n *corev1.Node) {
				n.Status.Phase = "Provisioning"
				desires("rendered-3")(n)
			}, "worker rendered-2", nil},
			{func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, "worker rendered-3", []string{"patch node"}},
			{func(n *corev1.Node) { n.Labels = nil }, "worker rendered-3", nil}, // without a pool, the object keeps its last pool
		} {
			c.changeNode(test.change)
			assert.Equal(t, test.want, c.spec())
			assert.Equal(t, test.writes, c.writes())
		}
	})
}

// If the pools change, the objects are written, even if the Nodes do not change.
func TestTheObjectFollowsThePools(t *testing.T) {
	inBubble(t, fourPools, one("worker", "new"), func(t *testing.T, c *cluster) {
		c.run()
		assert.Equal(t, "worker rendered-1", c.spec())
		c.createPool(newPool("new"))
		assert.Equal(t, "new rendered-1", c.spec())

		narrow := newPool("new")
		narrow.Spec.NodeSelector.MatchLabels["only"] = "others"
		c.done(c.pools().Update(t.Context(), narrow, metav1.UpdateOptions{}))
		assert.Equal(t, "worker rendered-1", c.spec())
	})
}

// If the pools of a Node conflict, one warning event is recorded for the Node. The object keeps its pool, and its other
// fields follow the Node.
func TestAConflictOfPoolsIsOneEventAndKeepsThePool(t *testing.T) {
	inBubble(t, fourPools, one("worker", "infra"), func(t *testing.T, c *cluster) {
		c.run()
		assert.Equal(t, "infra rendered-1", c.spec())
		c.changeNode(func(n *corev1.Node) { n.Labels["role-gpu"] = "" })
		c.changeNode(desires("rendered-2"))
		assert.Equal(t, "infra rendered-2", c.spec())
		require.Len(t, c.events.Events, 1)
		assert.Contains(t, <-c.events.Events, "Warning PoolConflict v1 Node node uid of node node node is selected by conflicting pools (gpu, infra): ")

		c.replaceNode(newNode("node", "infra", "gpu"))
		require.Len(t, c.events.Events, 1, "the new Node has its own event")
		assert.Contains(t, <-c.events.Events, "PoolConflict")
		c.changeNode(func(n *corev1.Node) { delete(n.Labels, "role-infra") })
		assert.Equal(t, "gpu rendered-1", c.spec())
		assert.Empty(t, c.events.Events)
		c.changeNode(func(n *corev1.Node) { n.Labels["role-infra"] = "" })
		assert.Len(t, c.events.Events, 1, "another conflict has an event, even if it has the same text")
	})
}

// A pool with an invalid selector has one event, and its nodes have none. The objects keep their pools until the selector
// is valid.
func TestAnInvalidSelectorIsOneEventOfThePool(t *testing.T) {
	inBubble(t, fourPools, append(one("worker"), newNode("other", "worker")), func(t *testing.T, c *cluster) {
		c.run()
		broken := brokenPool()
		c.createPool(broken)
		broken.Status.MachineCount = 1
		c.done(c.pools().Update(t.Context(), broken, metav1.UpdateOptions{}))
		c.changeNode(func(n *corev1.Node) { n.Labels["role-infra"] = ""; desires("rendered-2")(n) })
		assert.Equal(t, "worker rendered-2", c.spec())
		require.Len(t, c.events.Events, 1)
		assert.Contains(t, <-c.events.Events, "Warning InvalidNodeSelector machineconfiguration.openshift.io/v1 MachineConfigPool broken uid-broken MachineConfigPool broken: invalid nodeSelector: ")

		c.done(nil, c.pools().Delete(t.Context(), "broken", metav1.DeleteOptions{}))
		assert.Equal(t, "infra rendered-2", c.spec())
		assert.Empty(t, c.events.Events)

		gpu := newPool("gpu")
		gpu.Spec.NodeSelector = broken.Spec.NodeSelector
		c.done(c.pools().Update(t.Context(), gpu, metav1.UpdateOptions{}))
		assert.Len(t, c.events.Events, 1, "an existing pool whose selector becomes invalid also has an event")
	})
}

func brokenPool() *mcfgv1.MachineConfigPool {
	p := newPool("broken")
	p.Spec.NodeSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Likes"}}
	return p
}

// After Run has ended, its event handlers are removed.
func TestRunRemovesItsEventHandlers(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		c.end()
		c.createPool(brokenPool())
		assert.Empty(t, c.events.Events)
	})
}

// If the informers have stopped, Run returns an error, unless its ctx has also ended.
func TestStoppedInformersAreAnErrorOfRun(t *testing.T) {
	core := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0)
	mcfg := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0)
	controller, err := rollout.New(rollout.Config{
		Client: mcfgfake.NewClientset(), KubeClient: kubefake.NewClientset(), Nodes: core.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	core.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	cancel()
	core.Shutdown()
	mcfg.Shutdown()
	assert.NoError(t, controller.Run(ctx, 1))
	assert.Error(t, controller.Run(t.Context(), 1))
}

// Without a recorder, a problem is logged, and no event is recorded.
func TestWithoutARecorderAProblemIsLogged(t *testing.T) {
	for _, none := range []record.EventRecorder{nil, (*record.FakeRecorder)(nil)} {
		inBubble(t, fourPools, one("infra", "gpu"), func(t *testing.T, c *cluster) {
			c.run(func(c *rollout.Config) { c.Recorder = none })
			c.stop()
			assert.Contains(t, c.log.String(), "PoolConflict")
		})
	}
}

// In image mode, the desired image in the spec follows the annotation. If Config.ImageMode is nil, the conditions of the
// object show the mode, as for a Monitor. Otherwise, the conditions do not matter.
func TestInImageModeTheSpecHasTheDesiredImage(t *testing.T) {
	image := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	for name, test := range map[string]struct {
		mode              func() bool
		isNew, isReported string // the desired image of a new object, and of an object that shows image mode
	}{
		"on":                  {func() bool { return true }, image, image},
		"off":                 {func() bool { return false }, "", ""},
		"as the object shows": {nil, "", image},
	} {
		nodes := one("worker")
		nodes[0].Annotations[nodemeta.DesiredImage] = image
		inBubble(t, fourPools, nodes, func(t *testing.T, c *cluster) {
			c.run(func(c *rollout.Config) { c.ImageMode = test.mode })
			assert.EqualValues(t, test.isNew, c.object("node").Spec.ConfigImage.DesiredImage, name)
			c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.Status.Conditions = transitions.Complete(nil, true, metav1.Now()) })
			assert.EqualValues(t, test.isReported, c.object("node").Spec.ConfigImage.DesiredImage, name)
			c.changeNode(func(n *corev1.Node) { delete(n.Annotations, nodemeta.DesiredImage) })
			assert.Empty(t, c.object("node").Spec.ConfigImage.DesiredImage, name)
		})
	}
}

// DesiredMachineConfigNode returns a copy, because its argument may be in a cache.
func TestDesiredMachineConfigNodeReturnsACopy(t *testing.T) {
	node := newNode("node")
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "node", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Node", Name: "node", UID: node.UID},
	}}}
	before := mcn.DeepCopy()
	desired := rollout.DesiredMachineConfigNode(t.Context(), mcn, node, "worker", false)
	require.Len(t, desired.OwnerReferences, 1)
	desired.OwnerReferences[0].Name = "changed"
	assert.Equal(t, before, mcn)
}

// A restart writes only the objects that need a change, and reads no Node for the other objects. Changes of other processes
// are reverted.
func TestARestartWritesOnlyWhatHasChanged(t *testing.T) {
	inBubble(t, fourPools, append(one("worker"), newNode("other", "master")), func(t *testing.T, c *cluster) {
		c.run()
		c.writes()
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.Spec.Pool.Name = "somewhere" })
		assert.Equal(t, "worker rendered-1", c.spec(), "another process's change of the pool is reverted")
		owner, machine := c.object("node").OwnerReferences[0], metav1.OwnerReference{APIVersion: "v1", Kind: "Machine", Name: "m", UID: "m"}
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences = []metav1.OwnerReference{machine} })
		assert.Equal(t, []metav1.OwnerReference{machine, owner}, c.object("node").OwnerReferences, "the Node is an owner again after another process has removed it")
		assert.Equal(t, []string{"patch node", "patch node"}, c.writes())
		c.stop()
		c.kube.ClearActions()
		c.run()
		assert.Empty(t, c.writes())
		for _, action := range c.kube.Actions() {
			assert.NotEqual(t, "get", action.GetVerb(), "no Node is read if all objects are up to date")
		}
		c.stop()
		c.changeNode(desires("rendered-2"))
		c.run()
		assert.Equal(t, []string{"patch node"}, c.writes())
	})
}

// A sync whose first attempt fails is retried. The failure and its end are logged. A conflict with another process is not
// logged.
func TestAFailedSyncIsRetriedAndLoggedOnce(t *testing.T) {
	outage := apierrors.NewServiceUnavailable("outage")
	for _, test := range []struct {
		verb, resource string
		err            error
		writes         int
		logged         string
	}{
		{"get", "nodes", outage, 1, "read Node node: outage"},
		{"create", "machineconfignodes", outage, 2, "create MachineConfigNode node: outage"},
		{"create", "machineconfignodes", apierrors.NewConflict(mcfgv1.Resource("machineconfignodes"), "node", errors.New("modified")), 2, ""},
	} {
		inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
			c.failOnce(test.verb, test.resource, test.err)
			c.run()
			c.advance(time.Minute)
			assert.Equal(t, "worker rendered-1", c.spec())
			assert.Len(t, c.writes(), test.writes)
			c.stop()
			if test.logged == "" {
				assert.Empty(t, c.log.String())
				return
			}
			assert.Equal(t, 1, strings.Count(c.log.String(), `"Failed to sync the MachineConfigNode" err="`+test.logged+`" node="node"`), c.log.String())
			assert.Equal(t, 1, strings.Count(c.log.String(), `"This works again" node="node"`), c.log.String())
		})
	}
}

// If a Node is created again, its object does not keep the status of the old Node.
func TestAReplacedNodeGetsANewObject(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		c.changeObject(func(m *mcfgv1.MachineConfigNode) {
			m.Status.Conditions = []metav1.Condition{{Type: "Updated", Status: metav1.ConditionTrue}}
		})
		c.writes()
		c.replaceNode(newNode("node", "worker"))
		assert.Equal(t, []string{"delete node", "create node"}, c.writes())
		assert.Equal(t, types.UID("another"), c.object("node").OwnerReferences[0].UID)
		assert.Empty(t, c.object("node").Status.Conditions)
	})
}

// If a Node is deleted, the controller leaves its object to the garbage collector. The controller deletes an object without
// a Node and without an owner that is a Node.
func TestAnObjectWithoutANodeAndWithoutAnOwnerIsDeleted(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		c.done(nil, c.kube.CoreV1().Nodes().Delete(t.Context(), "node", metav1.DeleteOptions{}))
		c.advance(time.Hour)
		require.NotNil(t, c.object("node"), "the object is left to the garbage collector")
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences[0].Kind = "Machine" }) // now no Node owns the object
		assert.Nil(t, c.object("node"))

		late := newNode("late", "worker")
		c.kube.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) { return true, late, nil })
		c.createObject("late")
		assert.NotNil(t, c.object("late"), "an object is kept if its Node is missing only in the cache")
	})
}

// An object that is being deleted is neither written nor deleted again.
func TestAnObjectThatIsBeingDeletedIsNotWritten(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.DeletionTimestamp = ptr.To(metav1.Now()) })
		c.writes()
		c.changeNode(desires("rendered-2"))
		c.done(c.mcns().Create(t.Context(), &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "orphan", DeletionTimestamp: ptr.To(metav1.Now())}}, metav1.CreateOptions{}))
		c.advance(time.Hour)
		assert.Equal(t, []string{"create orphan"}, c.writes())
	})
}

// On a cluster without pools, nothing is written or deleted until the first pool is created.
func TestNothingIsWrittenBeforeTheFirstPoolExists(t *testing.T) {
	inBubble(t, nil, one("worker"), func(t *testing.T, c *cluster) {
		c.createObject("orphan")
		c.writes()
		c.run()
		c.changeNode(desires("rendered-2"))
		c.advance(time.Hour)
		assert.Empty(t, c.writes())
		c.createPool(newPool("worker"))
		assert.ElementsMatch(t, []string{"create node", "delete orphan"}, c.writes())

		c.done(nil, c.pools().Delete(t.Context(), "worker", metav1.DeleteOptions{}))
		c.changeNode(desires("rendered-3"))
		assert.Empty(t, c.writes())
		c.createPool(newPool("master"))
		assert.Equal(t, "worker rendered-3", c.spec())
	})
}

func TestTheObjectOfAWindowsNodeIsDeleted(t *testing.T) {
	nodes := one("worker")
	nodes[0].Status.NodeInfo.OperatingSystem = "windows"
	inBubble(t, fourPools, nodes, func(t *testing.T, c *cluster) {
		c.createObject("node")
		c.failOnce("delete", "machineconfignodes", apierrors.NewServiceUnavailable("outage"))
		c.run()
		c.advance(time.Minute)
		assert.Nil(t, c.object("node"))
		c.stop()
		assert.Contains(t, c.log.String(), `err="delete MachineConfigNode node: outage"`)
	})
}

// If the cache of the objects is stale, each change of a Node causes at most one conflict, because the object is read
// after a conflict.
func TestAStaleCacheCausesOneConflictForEachChange(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.mcfg.PrependWatchReactor("machineconfignodes", func(clienttesting.Action) (bool, watch.Interface, error) { return true, watch.NewFake(), nil })
		conflicts, gets := 0, 0
		c.mcfg.PrependReactor("patch", "machineconfignodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
			stored, err := c.mcfg.Tracker().Get(a.GetResource(), "", "node")
			require.NoError(t, err)
			if version := stored.(*mcfgv1.MachineConfigNode).ResourceVersion; !strings.Contains(string(a.(clienttesting.PatchAction).GetPatch()), `"resourceVersion":"`+version+`"`) {
				conflicts++
				return true, nil, apierrors.NewConflict(mcfgv1.Resource("machineconfignodes"), "node", errors.New("modified"))
			}
			return false, nil, nil
		})
		c.mcfg.PrependReactor("get", "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) { gets++; return false, nil, nil })
		c.run() // creates the object, which the cache never receives
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.ResourceVersion, m.Spec.Pool.Name = "7", "elsewhere" })
		gets = 0
		c.changeNode(desires("rendered-2"))
		assert.Equal(t, 1, gets, "the object is read after the create has failed")
		assert.Equal(t, "worker rendered-2", c.spec())

		c.stop()
		c.run() // the list of the new informer has the object
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.ResourceVersion = "8" })
		for i := range 5 {
			conflicts = 0
			c.changeNode(desires(fmt.Sprint("rendered-1", i)))
			c.advance(time.Minute)
			assert.Equal(t, fmt.Sprint("worker rendered-1", i), c.spec())
			assert.LessOrEqual(t, conflicts, 1)
		}
		c.stop()
		assert.Empty(t, c.log.String())
	})
}

// If the daemon writes a desired config that the controller's cache of Nodes does not have yet, the controller does not
// revert it.
func TestANewerDesiredConfigOfTheDaemonIsKept(t *testing.T) {
	ahead := newNode("node", "worker")
	desires("rendered-2")(ahead)
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		c.run()
		c.writes()
		c.kube.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) { return true, ahead, nil })
		c.changeObject(func(m *mcfgv1.MachineConfigNode) { m.Spec.ConfigVersion.Desired = "rendered-2" })
		assert.Equal(t, "worker rendered-2", c.spec())
		assert.Empty(t, c.writes())
	})
}

// Each write has the UID and the resourceVersion of the object that it was computed from, so that it fails if another
// process has written in the meantime. It also has the field manager of the Config.
func TestEachWriteHasPreconditions(t *testing.T) {
	inBubble(t, fourPools, one("worker"), func(t *testing.T, c *cluster) {
		manager := "machine-config-operator-rollout" // the default
		c.run()
		c.stop()
		c.run(func(c *rollout.Config) { c.FieldManager = "mine" })
		c.changeObject(func(m *mcfgv1.MachineConfigNode) {
			m.UID, m.ResourceVersion, m.Spec.Pool.Name = "u", "7", "elsewhere"
			m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "other", UID: "o"})
		})
		assert.Equal(t, "worker rendered-1", c.spec())
		require.Len(t, c.object("node").OwnerReferences, 1)
		c.changeObject(func(m *mcfgv1.MachineConfigNode) {
			m.ResourceVersion, m.OwnerReferences[0].UID = "9", "uid of the previous node"
		})
		var checked int
		for _, action := range c.mcfg.Actions() {
			switch a := action.(type) {
			case clienttesting.PatchAction:
				var object struct {
					Metadata struct{ UID, ResourceVersion string }
				}
				require.NoError(t, json.Unmarshal(a.GetPatch(), &object))
				assert.Equal(t, struct{ UID, ResourceVersion string }{"u", "7"}, object.Metadata)
				assert.Equal(t, "mine", a.(clienttesting.PatchActionImpl).PatchOptions.FieldManager)
				checked++
			case clienttesting.CreateActionImpl:
				if a.Resource.Resource == "machineconfignodes" {
					assert.Equal(t, manager, a.CreateOptions.FieldManager)
					manager = "mine"
					checked++
				}
			case clienttesting.DeleteActionImpl:
				assert.Equal(t, &metav1.Preconditions{UID: ptr.To(types.UID("u")), ResourceVersion: ptr.To("9")}, a.DeleteOptions.Preconditions)
				checked++
			}
		}
		assert.Equal(t, 4, checked) // two creations, a patch and a deletion
	})
}

func TestAnInvalidConfigIsAFieldError(t *testing.T) {
	core := informers.NewSharedInformerFactory(kubefake.NewClientset(), 0)
	mcfg := mcfginformers.NewSharedInformerFactory(mcfgfake.NewClientset(), 0).Machineconfiguration().V1()
	for name, invalidate := range map[string]func(*rollout.Config){
		"Client":             func(c *rollout.Config) { c.Client = nil },
		"KubeClient":         func(c *rollout.Config) { c.KubeClient = (*kubefake.Clientset)(nil) },
		"Nodes":              func(c *rollout.Config) { c.Nodes = nil },
		"Pools":              func(c *rollout.Config) { c.Pools = nil },
		"MachineConfigNodes": func(c *rollout.Config) { c.MachineConfigNodes = nil },
		"FieldManager":       func(c *rollout.Config) { c.FieldManager = "a\nb" },
	} {
		config := rollout.Config{Client: mcfgfake.NewClientset(), KubeClient: kubefake.NewClientset(),
			Nodes: core.Core().V1().Nodes(), Pools: mcfg.MachineConfigPools(), MachineConfigNodes: mcfg.MachineConfigNodes()}
		_, err := rollout.New(config)
		require.NoError(t, err)
		invalidate(&config)
		_, err = rollout.New(config)
		var invalid *field.Error
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, "rollout.Config."+name, invalid.Field)
		if name != "FieldManager" {
			assert.ErrorContains(t, err, ": Required value: pass ")
		}
	}
}
