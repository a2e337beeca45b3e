package pool_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

type (
	nodes = []*corev1.Node
	mcns  = []*mcfgv1.MachineConfigNode
)

// counts of a status: machines, updated, ready, unavailable, degraded.
type counts [5]int32

func countsOf(s mcfgv1.MachineConfigPoolStatus) counts {
	return counts{s.MachineCount, s.UpdatedMachineCount, s.ReadyMachineCount, s.UnavailableMachineCount, s.DegradedMachineCount}
}

// TestOneMachine: every way to count one node.
func TestOneMachine(t *testing.T) {
	anotherOwner := func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences[0].UID = "uid-before" }
	noOwner := func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences = nil }
	namesake := func(m *mcfgv1.MachineConfigNode) {
		m.OwnerReferences = append([]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Node", Name: "n", UID: "another"}}, m.OwnerReferences...)
	}
	blank := func(m *mcfgv1.MachineConfigNode) { m.Status.Conditions = nil }
	noVersions := func(m *mcfgv1.MachineConfigNode) { m.Status.ConfigVersion = nil }
	unknown := withCondition(mcfgv1.MachineConfigNodeUpdated, metav1.ConditionUnknown, "")
	pressed := func(n *corev1.Node) {
		for _, conditionType := range []corev1.NodeConditionType{corev1.NodeDiskPressure, corev1.NodeMemoryPressure, corev1.NodeNetworkUnavailable} {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: conditionType, Status: corev1.ConditionTrue})
		}
	}

	for _, test := range []struct {
		name  string
		node  *corev1.Node
		mcn   *mcfgv1.MachineConfigNode
		image string
		want  counts
	}{
		{"updated", newNode("n"), newMCN("n"), "", counts{1, 1, 1, 0, 0}},
		{"updated, not ready", newNode("n", notReady), newMCN("n"), "", counts{1, 1, 0, 1, 0}},
		{"updated, readiness unknown", newNode("n", noConditions), newMCN("n"), "", counts{1, 1, 0, 1, 0}},
		{"updated, cordoned by someone else", newNode("n", cordoned), newMCN("n"), "", counts{1, 1, 0, 1, 0}},
		{"updated, under pressure", newNode("n", pressed), newMCN("n"), "", counts{1, 1, 1, 0, 0}},
		{"degraded and updated", newNode("n"), newMCN("n", degraded), "", counts{1, 0, 0, 0, 1}},
		{"degraded and updating", newNode("n"), newMCN("n", degraded, updating), "", counts{1, 0, 0, 1, 1}},
		{"updating", newNode("n"), newMCN("n", updating), "", counts{1, 0, 0, 1, 0}},
		{"updating, Updated is Unknown", newNode("n"), newMCN("n", unknown), "", counts{1, 0, 0, 1, 0}},
		{"updating, cordoned, not ready", newNode("n", cordoned, notReady), newMCN("n", updating), "", counts{1, 0, 0, 1, 0}},
		{"waiting", newNode("n"), newMCN("n", waiting), "", counts{1, 0, 0, 0, 0}},
		{"the spec desires another config", newNode("n"), newMCN("n", configs(oldConfig, newConfig, newConfig)), "", counts{1, 0, 0, 0, 0}},
		{"the status desires another config", newNode("n"), newMCN("n", configs(newConfig, oldConfig, newConfig)), "", counts{1, 0, 0, 0, 0}},
		{"the status has another config", newNode("n"), newMCN("n", configs(newConfig, newConfig, oldConfig)), "", counts{1, 0, 0, 0, 0}},
		{"no versions", newNode("n"), newMCN("n", noVersions), "", counts{1, 0, 0, 0, 0}},
		{"no pinned images", newNode("n"), newMCN("n", pinFailed), "", counts{1, 1, 1, 0, 0}},

		{"no object", newNode("n"), nil, "", counts{1, 0, 0, 0, 0}},
		{"no object, not ready", newNode("n", notReady), nil, "", counts{1, 0, 0, 1, 0}},
		{"no object, cordoned", newNode("n", cordoned), nil, "", counts{1, 0, 0, 1, 0}},
		{"no conditions", newNode("n"), newMCN("n", blank), "", counts{1, 0, 0, 0, 0}},
		{"the object of a previous Node of that name", newNode("n"), newMCN("n", degraded, anotherOwner), "", counts{1, 0, 0, 0, 0}},
		{"an owner of kind Node in another API group", newNode("n"), newMCN("n", namesake), "", counts{1, 1, 1, 0, 0}},
		{"an object without an owner", newNode("n"), newMCN("n", noOwner), "", counts{1, 1, 1, 0, 0}},

		{"the image of the pool", newNode("n"), newMCN("n", images(newImage, newImage)), newImage, counts{1, 1, 1, 0, 0}},
		{"not the image of the pool yet", newNode("n"), newMCN("n", images(newImage, oldImage)), newImage, counts{1, 0, 0, 0, 0}},
		{"the image of the pool, but the spec desires another", newNode("n"), newMCN("n", images(newImage, oldImage)), oldImage, counts{1, 0, 0, 0, 0}},
		{"no image yet", newNode("n"), newMCN("n"), newImage, counts{1, 0, 0, 0, 0}},
		{"the image that the spec desires", newNode("n"), newMCN("n", images(newImage, newImage)), "", counts{1, 1, 1, 0, 0}},
		{"not the image that the spec desires", newNode("n"), newMCN("n", images(newImage, oldImage)), "", counts{1, 0, 0, 0, 0}},
		{"still an image, image mode disabled", newNode("n"), newMCN("n", images("", oldImage)), "", counts{1, 0, 0, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var objects mcns
			if test.mcn != nil {
				objects = mcns{test.mcn}
			}
			assert.Equal(t, test.want, countsOf(pool.Status(newPool("worker"), nodes{test.node}, objects, pool.Options{Image: built(test.image)}, now)))
		})
	}
}

// TestUpdatedAndUpdating: status, reason and message of the two conditions.
func TestUpdatedAndUpdating(t *testing.T) {
	paused := func(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = true }
	noTarget := func(p *mcfgv1.MachineConfigPool) { p.Spec.Configuration.Name = "" }
	three := nodes{newNode("a"), newNode("b"), newNode("c")}
	const (
		yes = corev1.ConditionTrue
		no  = corev1.ConditionFalse
	)
	type verdict struct {
		status          corev1.ConditionStatus
		reason, message string
	}
	all := "All 3 nodes have MachineConfig rendered-worker-bbb"

	for _, test := range []struct {
		name              string
		pool              *mcfgv1.MachineConfigPool
		nodes             nodes
		mcns              mcns
		image             string
		updated, updating verdict
	}{
		{"no nodes", newPool("worker"), nil, nil, "",
			verdict{yes, "AllNodesUpdated", "The pool has no nodes"}, verdict{no, "AllNodesUpdated", "The pool has no nodes"}},
		{"one node", newPool("worker"), nodes{newNode("a")}, mcns{newMCN("a")}, "",
			verdict{yes, "AllNodesUpdated", "The only node has MachineConfig rendered-worker-bbb"},
			verdict{no, "AllNodesUpdated", "The only node has MachineConfig rendered-worker-bbb"}},
		{"no target", newPool("worker", noTarget), three, mcns{newMCN("a"), newMCN("b"), newMCN("c")}, "",
			verdict{no, "NoConfiguration", "The pool has no rendered MachineConfig yet"}, verdict{no, "NoConfiguration", "The pool has no rendered MachineConfig yet"}},
		{"no target, no nodes", newPool("worker", noTarget), nil, nil, "",
			verdict{no, "NoConfiguration", "The pool has no rendered MachineConfig yet"}, verdict{no, "NoConfiguration", "The pool has no rendered MachineConfig yet"}},
		{"no target, no configs", newPool("worker", noTarget), nodes{newNode("a")}, mcns{newMCN("a", configs("", "", ""))}, "",
			verdict{no, "NoConfiguration", "The pool has no rendered MachineConfig yet"}, verdict{no, "NoConfiguration", "The pool has no rendered MachineConfig yet"}},
		{"all updated", newPool("worker"), three, mcns{newMCN("a"), newMCN("b"), newMCN("c")}, "",
			verdict{yes, "AllNodesUpdated", all}, verdict{no, "AllNodesUpdated", all}},
		{"all updated and paused", newPool("worker", paused), three, mcns{newMCN("a"), newMCN("b"), newMCN("c")}, "",
			verdict{yes, "AllNodesUpdated", all}, verdict{no, "AllNodesUpdated", all}},
		{"all have the image", newPool("worker"), nodes{newNode("a")}, mcns{newMCN("a", images(newImage, newImage))}, newImage,
			verdict{yes, "AllNodesUpdated", "The only node has MachineConfig rendered-worker-bbb and image " + newImage},
			verdict{no, "AllNodesUpdated", "The only node has MachineConfig rendered-worker-bbb and image " + newImage}},
		{"one cordoned by someone else, one not ready", newPool("worker"), nodes{newNode("a", cordoned), newNode("b", notReady), newNode("c")},
			mcns{newMCN("a"), newMCN("b"), newMCN("c")}, "",
			verdict{yes, "AllNodesUpdated", all}, verdict{no, "AllNodesUpdated", all}},
		{"one is being updated, one waits", newPool("worker"), three, mcns{newMCN("a"), newMCN("b", waiting), newMCN("c", updating)}, "",
			verdict{no, "NodesNotUpdated", "1 of 3 nodes have MachineConfig rendered-worker-bbb, 1 being updated, 1 not updated"},
			verdict{yes, "NodesUpdating", "c is updating; see oc describe machineconfignode/c"}},
		{"one waits", newPool("worker"), three, mcns{newMCN("a"), newMCN("b", waiting), newMCN("c")}, "",
			verdict{no, "NodesNotUpdated", "2 of 3 nodes have MachineConfig rendered-worker-bbb, 1 not updated"},
			verdict{yes, "NodesUpdating", "No node is being updated right now. 2 of 3 nodes have MachineConfig rendered-worker-bbb, 1 not updated"}},
		{"paused", newPool("worker", paused), three, mcns{newMCN("a"), newMCN("b", waiting), newMCN("c")}, "",
			verdict{no, "NodesNotUpdated", "2 of 3 nodes have MachineConfig rendered-worker-bbb, 1 not updated"},
			verdict{no, "Paused", "The pool is paused. 2 of 3 nodes have MachineConfig rendered-worker-bbb, 1 not updated"}},
		{"paused in the middle", newPool("worker", paused), three, mcns{newMCN("a"), newMCN("b", waiting), newMCN("c", updating)}, "",
			verdict{no, "NodesNotUpdated", "1 of 3 nodes have MachineConfig rendered-worker-bbb, 1 being updated, 1 not updated"},
			verdict{yes, "PausedWhileUpdating", "The pool is paused, but updates that have begun continue: c is updating; see oc describe machineconfignode/c"}},
		{"a new node", newPool("worker"), nodes{newNode("a"), newNode("b", notReady)}, mcns{newMCN("a")}, "",
			verdict{no, "NodesNotUpdated", "1 of 2 nodes have MachineConfig rendered-worker-bbb, 1 not reported yet"},
			verdict{no, "NodesNotReported", "1 of 2 nodes have MachineConfig rendered-worker-bbb, 1 not reported yet"}},
		{"many are being updated", newPool("worker"), nodes{newNode("g"), newNode("f"), newNode("e"), newNode("d"), newNode("c"), newNode("b"), newNode("a")},
			mcns{newMCN("a", updating), newMCN("b", updating), newMCN("c", updating), newMCN("d", updating), newMCN("e", updating), newMCN("f", updating), newMCN("g", updating)}, "",
			verdict{no, "NodesNotUpdated", "0 of 7 nodes have MachineConfig rendered-worker-bbb, 7 being updated"},
			verdict{yes, "NodesUpdating", "a is updating, b is updating, c is updating, d is updating, e is updating, and 2 more; see oc describe machineconfignode/a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			status := pool.Status(test.pool, test.nodes, test.mcns, pool.Options{Image: built(test.image)}, now)
			if test.pool.Spec.Configuration.Name == "" {
				assert.Zero(t, status.UpdatedMachineCount)
			}
			for conditionType, want := range map[mcfgv1.MachineConfigPoolConditionType]verdict{
				mcfgv1.MachineConfigPoolUpdated: test.updated, mcfgv1.MachineConfigPoolUpdating: test.updating,
			} {
				got := condition(t, status, conditionType)
				assert.Equal(t, want, verdict{got.Status, got.Reason, got.Message}, "%s", conditionType)
			}
		})
	}
}

// TestWhatIsKept is what a status keeps of the one before.
func TestWhatIsKept(t *testing.T) {
	expiry := metav1.NewTime(earlier.Add(time.Hour))
	unowned := mcfgv1.MachineConfigPoolCondition{Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionFalse, LastTransitionTime: earlier, Reason: "R"}
	another := mcfgv1.PoolSynchronizerStatus{PoolSynchronizerType: "Another", MachineCount: 7}
	p := newPool("worker", func(p *mcfgv1.MachineConfigPool) {
		p.Spec.Configuration.Source = []corev1.ObjectReference{{Name: "00-worker"}}
		p.Status.Configuration.Name = oldConfig
		p.Status.CertExpirys = []mcfgv1.CertExpiry{{Bundle: "ca", Expiry: &expiry}}
		p.Status.OSImageStream.Name = "rhel-10"
		p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{
			{Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionFalse, LastTransitionTime: earlier},
			unowned,
			{Type: mcfgv1.MachineConfigPoolUpdating, Status: corev1.ConditionTrue, LastTransitionTime: earlier},
			{Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionTrue, LastTransitionTime: now},
		}
		p.Status.PoolSynchronizersStatus = []mcfgv1.PoolSynchronizerStatus{another, {PoolSynchronizerType: mcfgv1.PinnedImageSets, ObservedGeneration: 9}}
	})
	before := p.DeepCopy()

	status := pool.Status(p, nodes{newNode("a")}, mcns{newMCN("a", updating)}, pool.Options{}, now)
	assert.Equal(t, before, p, "the pool that was passed in changed")
	assert.Equal(t, int64(3), status.ObservedGeneration)
	assert.Equal(t, oldConfig, status.Configuration.Name, "not updated yet")
	assert.Equal(t, before.Status.CertExpirys, status.CertExpirys)
	assert.Equal(t, before.Status.OSImageStream, status.OSImageStream)
	assert.Equal(t, unowned, condition(t, status, mcfgv1.MachineConfigPoolRenderDegraded))
	assert.Equal(t, another, status.PoolSynchronizersStatus[0])
	assert.Equal(t, int64(9), status.PoolSynchronizersStatus[1].ObservedGeneration)
	assert.Len(t, status.Conditions, 6)
	assert.Equal(t, earlier, condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime, "still False")
	assert.Equal(t, earlier, condition(t, status, mcfgv1.MachineConfigPoolUpdating).LastTransitionTime, "still True")

	p.Status = status
	status = pool.Status(p, nodes{newNode("a")}, mcns{newMCN("a")}, pool.Options{}, now)
	assert.Equal(t, p.Spec.Configuration, status.Configuration)
	assert.Equal(t, metav1.NewTime(earlier.Add(time.Minute)), condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime, "in whole seconds")
	assert.Equal(t, time.UTC, condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime.Location())
	status.Configuration.Source[0].Name = "changed"
	assert.Equal(t, "00-worker", p.Spec.Configuration.Source[0].Name, "nothing is shared")
}
