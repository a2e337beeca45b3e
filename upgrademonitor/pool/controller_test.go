package pool_test

import (
	"fmt"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

func updated(m *mcfgv1.MachineConfigNode) {
	m.Status.Conditions = m.Status.Conditions[:3]
	withCondition(mcfgv1.MachineConfigNodeUpdated, metav1.ConditionTrue, "")(m)
}

// workers returns n nodes of the pool worker, all updated.
func workers(n int) (ns nodes, ms mcns) {
	for i := range n {
		name := fmt.Sprintf("worker-%d", i)
		ns, ms = append(ns, newNode(name)), append(ms, newMCN(name))
	}
	return ns, ms
}

// TestRun brings two pools up to date, keeps them so, and makes no other requests.
func TestRun(t *testing.T) {
	ns, ms := workers(3)
	ns = append(ns, newNode("infra-0", roles("infra", "worker")))
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		_, stop := c.run()
		assert.Equal(t, counts{3, 3, 3, 0, 0}, countsOf(c.pool("worker").Status))
		assert.Equal(t, counts{1, 0, 0, 0, 0}, countsOf(c.pool("infra").Status))
		assert.Equal(t, newConfig, c.pool("worker").Status.Configuration.Name)
		assert.Equal(t, []int{1, 1}, []int{c.written("worker"), c.written("infra")})

		c.advance(time.Minute)
		c.synced()
		c.changeMCN("worker-1", updating)
		assert.Equal(t, counts{3, 2, 2, 1, 0}, countsOf(c.pool("worker").Status), "at once")
		c.advance(time.Minute)
		assert.Equal(t, 1, c.synced(), "its own write triggers no sync")
		assert.Equal(t, []int{1, 0}, []int{c.written("worker"), c.written("infra")})

		stop()
		c.run()
		c.advance(time.Minute)
		assert.Equal(t, []int{0, 0}, []int{c.written("worker"), c.written("infra")}, "a restart writes nothing")
		assert.Zero(t, c.conflicted())
		for _, action := range c.mcfg.Actions() {
			if verb := action.GetVerb(); verb == "patch" {
				assert.Equal(t, "machineconfigpools/status", action.GetResource().Resource+"/"+action.GetSubresource())
			} else {
				assert.Contains(t, []string{"list", "watch", "get", "create", "update"}, verb) // the last three are made by the test
			}
		}
	}, []*mcfgv1.MachineConfigPool{newPool("worker"), newPool("infra")}, ns, ms)
}

// TestInterval: many nodes change within one Interval.
func TestInterval(t *testing.T) {
	ns, ms := workers(120)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		c.run(func(config *pool.Config) { config.Interval = time.Minute })
		assert.Equal(t, 1, c.written("worker"))
		for i := range 120 {
			c.changeMCN(fmt.Sprintf("worker-%d", i), updating)
		}
		assert.Equal(t, 0, c.written("worker"))
		c.advance(time.Minute)
		assert.Equal(t, 1, c.written("worker"))
		assert.Equal(t, counts{120, 0, 0, 120, 0}, countsOf(c.pool("worker").Status), "the last change is included")
		c.advance(time.Hour)
		assert.Equal(t, 0, c.written("worker"))

		c.changeMCN("worker-7", updated)
		assert.Equal(t, 1, c.written("worker"), "at once when idle for an Interval")
		c.changeMCN("worker-8", updated)
		assert.Equal(t, 0, c.written("worker"))
		c.advance(time.Minute)
		assert.Equal(t, 1, c.written("worker"))
		assert.Equal(t, counts{120, 2, 2, 118, 0}, countsOf(c.pool("worker").Status))
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}

// TestWhatIsSynced: how many pools each change enqueues.
func TestWhatIsSynced(t *testing.T) {
	ns, ms := workers(2)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		controller, stop := c.run()
		c.advance(time.Minute)
		c.synced()
		mcn := func(change func(*mcfgv1.MachineConfigNode)) func() { return func() { c.changeMCN("worker-0", change) } }
		node := func(change func(*corev1.Node)) func() { return func() { c.changeNode("worker-0", change) } }
		object := func(change func(*mcfgv1.MachineConfigPool)) func() { return func() { c.changePool("worker", change) } }

		for _, test := range []struct {
			name   string
			change func()
			want   int
		}{
			{"a heartbeat", node(func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = now }), 0},
			{"an annotation of the Node", node(func(n *corev1.Node) { n.Annotations = map[string]string{"a": "b"} }), 0},
			{"the image that the Node desires", node(annotated(newImage, "")), 1},
			{"the image that the Node has", node(annotated(newImage, newImage)), 1},
			{"Enqueue", func() { controller.Enqueue("worker") }, 1},
			{"another condition of the Node", node(func(n *corev1.Node) {
				n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})
			}), 0},
			{"Ready", node(notReady), 1},
			{"a cordon", node(cordoned), 1},
			{"a label", node(func(n *corev1.Node) { n.Labels["a"] = "b" }), 1},
			{"a new Node of the same name", node(func(n *corev1.Node) { n.UID = "another" }), 1},
			{"another pool's label", node(roles("infra")), 2},
			{"and back", node(roles("worker")), 2},
			{"two pools' labels", node(roles("infra", "gpu")), 1},
			{"and back", node(roles("worker")), 1},
			{"Windows", node(func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "windows" }), 1},
			{"and back", node(func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "linux" }), 1},

			{"a phase", mcn(func(m *mcfgv1.MachineConfigNode) {
				m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{Type: "Drained", Status: metav1.ConditionTrue})
			}), 0},
			{"another phase of a node that is updated", mcn(phase(mcfgv1.MachineConfigNodeUpdateRebooted, metav1.ConditionUnknown)), 0},
			{"the message of a condition that is False", mcn(withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionFalse, "all is good")), 0},
			{"Updated", mcn(updating), 1},
			{"a phase of an update", mcn(phase(mcfgv1.MachineConfigNodeResumed, metav1.ConditionUnknown)), 1},
			{"its end", mcn(phase(mcfgv1.MachineConfigNodeUpdateComplete, metav1.ConditionTrue)), 0},
			{"NodeDegraded", mcn(degraded), 1},
			{"its message", mcn(withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, "disk very full")), 1},
			{"a pinned image set", mcn(func(m *mcfgv1.MachineConfigNode) {
				m.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1}}
			}), 1},
			{"PinnedImageSetsDegraded", mcn(pinFailed), 1},
			{"a config", mcn(waiting), 1},
			{"an image", mcn(images(newImage, oldImage)), 1},
			{"the owner", mcn(func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences = nil }), 1},
			{"an object is deleted", func() {
				require.NoError(t, c.mcfg.MachineconfigurationV1().MachineConfigNodes().Delete(t.Context(), "worker-0", metav1.DeleteOptions{}))
			}, 1},
			{"a Node is deleted", func() {
				require.NoError(t, c.kube.CoreV1().Nodes().Delete(t.Context(), "worker-0", metav1.DeleteOptions{}))
			}, 1},

			{"pause", object(func(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = true }), 1},
			{"a condition of others", object(func(p *mcfgv1.MachineConfigPool) {
				p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: "RenderDegraded", Status: "True"})
			}), 1},
			{"a nodeSelector", object(func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector.MatchLabels["a"] = "b" }), 3},
			{"a pool is created", func() { c.createPool(newPool("edge")) }, 4},
			{"a pool is deleted", func() { c.deletePool("edge") }, 3},
		} {
			test.change()
			c.advance(time.Minute)
			assert.Equal(t, test.want, c.synced(), test.name)
		}
		stop()
		controller.Enqueue("worker") // does nothing
	}, []*mcfgv1.MachineConfigPool{newPool("worker"), newPool("infra"), newPool("gpu")}, ns, ms)
}

// TestNodesChangePools: each node is counted by its primary pool only.
func TestNodesChangePools(t *testing.T) {
	ns, ms := workers(4)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		c.run()
		machines := func() []int32 {
			c.advance(time.Minute)
			return []int32{c.pool("worker").Status.MachineCount, c.pool("infra").Status.MachineCount}
		}
		assert.Equal(t, []int32{4, 0}, machines())
		c.changeNode("worker-0", roles("infra", "worker"))
		assert.Equal(t, []int32{3, 1}, machines())
		c.changePool("infra", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = newPool("worker").Spec.NodeSelector })
		assert.Equal(t, []int32{0, 4}, machines())
		c.createPool(newPool("gpu"))
		c.changeNode("worker-1", roles("gpu", "worker"))
		assert.Equal(t, []int32{0, 3}, machines(), "two custom pools select one")
		c.deletePool("gpu")
		assert.Equal(t, []int32{0, 4}, machines())
		c.changePool("infra", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = nil })
		assert.Equal(t, []int32{4, 0}, machines())

		c.changePool("infra", invalidSelector)
		c.changeNode("worker-2", roles())
		assert.Equal(t, []int32{4, 0}, machines(), "no primary pool is known while a selector is invalid")
		c.changePool("infra", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = nil })
		assert.Equal(t, []int32{3, 0}, machines())
	}, []*mcfgv1.MachineConfigPool{newPool("worker"), newPool("infra")}, ns, ms)
}

// TestInvalidSelectorNoStatus: no pool gets a status while the selector of one is invalid.
func TestInvalidSelectorNoStatus(t *testing.T) {
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		c.run()
		c.advance(time.Minute)
		assert.Equal(t, []int{0, 0}, []int{c.written("worker"), c.written("broken")})
		c.deletePool("broken")
		c.advance(time.Minute)
		assert.Equal(t, 1, c.written("worker"))
	}, []*mcfgv1.MachineConfigPool{newPool("worker"), newPool("broken", invalidSelector)}, nil, nil)
}

// TestConfig: Clock is the time of transitions, and Image and DegradeOnPinnedImageSets reach Status.
func TestConfig(t *testing.T) {
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		_, stop := c.run(func(config *pool.Config) {
			config.Clock = clocktesting.NewFakeClock(now.Time)
			config.Image = func(p *mcfgv1.MachineConfigPool) pool.Image { return built(p.Annotations["image"]) }
		})
		status := c.pool("worker").Status
		since := condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime
		assert.True(t, since.Time.Equal(now.Truncate(time.Second)), "%v", since)
		assert.Equal(t, int32(1), status.UpdatedMachineCount)
		assert.Equal(t, corev1.ConditionTrue, condition(t, status, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded).Status)
		assert.Equal(t, corev1.ConditionFalse, condition(t, status, mcfgv1.MachineConfigPoolDegraded).Status)
		stop()

		c.run(func(config *pool.Config) {
			config.DegradeOnPinnedImageSets = true
			config.Image = func(p *mcfgv1.MachineConfigPool) pool.Image { return built(p.Annotations["image"]) }
		})
		c.changePool("worker", func(p *mcfgv1.MachineConfigPool) { p.Annotations = map[string]string{"image": newImage} })
		c.advance(time.Minute)
		assert.Equal(t, int32(0), c.pool("worker").Status.UpdatedMachineCount)
		assert.Equal(t, corev1.ConditionTrue, condition(t, c.pool("worker").Status, mcfgv1.MachineConfigPoolDegraded).Status)
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, nodes{newNode("n")}, mcns{newMCN("n", pinFailed, images(oldImage, oldImage))})
}
