package pool_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

type (
	nodes = []*corev1.Node
	mcns  = []*mcfgv1.MachineConfigNode
)

// counts has the numbers of all, updated, ready, unavailable and degraded machines in a status.
type counts [5]int32

func countsOf(s mcfgv1.MachineConfigPoolStatus) counts {
	return counts{s.MachineCount, s.UpdatedMachineCount, s.ReadyMachineCount, s.UnavailableMachineCount, s.DegradedMachineCount}
}

// A node is counted as updated, ready, unavailable and degraded according to its Node and its object.
func TestTheStateOfANodeDecidesTheCounts(t *testing.T) {
	anotherOwner := func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences[0].UID = "uid-before" }
	noOwner := func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences = nil }
	namesake := func(m *mcfgv1.MachineConfigNode) {
		m.OwnerReferences = append([]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Node", Name: "n", UID: "another"}}, m.OwnerReferences...)
	}
	told := newNode("n", ordered(newConfig, ""), runsConfig(oldConfig))
	blank := func(m *mcfgv1.MachineConfigNode) { m.Status.Conditions = nil }
	noVersions := func(m *mcfgv1.MachineConfigNode) { m.Status.ConfigVersion = nil }
	unknown := withCondition(mcfgv1.MachineConfigNodeUpdated, metav1.ConditionUnknown, "")
	for _, test := range []struct {
		name string
		node *corev1.Node
		mcn  *mcfgv1.MachineConfigNode
		want counts
	}{
		{"updated", newNode("n"), newMCN("n"), counts{1, 1, 1, 0, 0}},
		{"updated, not ready", newNode("n", notReady), newMCN("n"), counts{1, 1, 0, 1, 0}},
		{"updated, readiness unknown", newNode("n", noConditions), newMCN("n"), counts{1, 1, 0, 1, 0}},
		{"updated, cordoned by someone else", newNode("n", cordoned), newMCN("n"), counts{1, 1, 0, 1, 0}},
		{"updated, disk pressure", newNode("n", diskPressure), newMCN("n"), counts{1, 1, 0, 1, 0}},
		{"waiting, disk pressure", newNode("n", diskPressure), newMCN("n", waiting), counts{1, 0, 0, 1, 0}},
		{"degraded and updated", newNode("n"), newMCN("n", degraded), counts{1, 0, 0, 1, 1}},
		{"degraded and updating", newNode("n"), newMCN("n", degraded, updating), counts{1, 0, 0, 1, 1}},
		{"updating", newNode("n"), newMCN("n", updating), counts{1, 0, 0, 1, 0}},
		{"updating, Updated is Unknown", newNode("n"), newMCN("n", unknown, phase("Drained", metav1.ConditionUnknown)), counts{1, 0, 0, 1, 0}},
		{"Updated is False, but no step has started", newNode("n"), newMCN("n", started), counts{1, 1, 1, 0, 0}},
		{"Updated is False, but no step has started, degraded", newNode("n"), newMCN("n", started, degraded), counts{1, 0, 0, 1, 1}},
		{"degraded and waiting", newNode("n"), newMCN("n", waiting, degraded), counts{1, 0, 0, 1, 1}},
		{"degraded and joining", newNode("n"), newMCN("n", joining, degraded), counts{1, 0, 0, 1, 1}},
		{"updating, cordoned, not ready", newNode("n", cordoned, notReady), newMCN("n", updating), counts{1, 0, 0, 1, 0}},
		{"waiting", newNode("n"), newMCN("n", waiting), counts{1, 0, 0, 0, 0}},
		{"the spec desires another config", newNode("n"), newMCN("n", configs(oldConfig, newConfig, newConfig)), counts{1, 0, 0, 1, 0}},
		{"the status desires another config", newNode("n"), newMCN("n", configs(newConfig, oldConfig, newConfig)), counts{1, 1, 1, 0, 0}},
		{"the status has another config", newNode("n"), newMCN("n", configs(newConfig, newConfig, oldConfig)), counts{1, 0, 0, 1, 0}},
		{"no versions", newNode("n"), newMCN("n", noVersions), counts{1, 0, 0, 1, 0}},
		{"no pinned images", newNode("n"), newMCN("n", pinFailed), counts{1, 1, 1, 0, 0}},

		{"its Node desires another config", newNode("n", ordered(oldConfig, "")), newMCN("n"), counts{1, 0, 0, 1, 0}},
		{"its Node desires an image", newNode("n", ordered(newConfig, newImage)), newMCN("n", images(oldImage, oldImage)), counts{1, 0, 0, 1, 0}},
		{"its Node runs another config", newNode("n", runsConfig(oldConfig), ordered(oldConfig, "")), newMCN("n"), counts{1, 0, 0, 0, 0}},
		{"its Node runs the config, its object is behind", newNode("n", ordered(newConfig, ""), runsConfig(newConfig)), newMCN("n", waiting), counts{1, 1, 1, 0, 0}},
		{"its object's spec has a withdrawn config", newNode("n", ordered(newConfig, ""), runsConfig(newConfig)), newMCN("n", configs(oldConfig, newConfig, newConfig)), counts{1, 1, 1, 0, 0}},
		{"its Node desires the config that the object has", newNode("n", ordered(newConfig, "")), newMCN("n"), counts{1, 1, 1, 0, 0}},
		{"its Node desires another config, and is joining", newNode("n", ordered(oldConfig, "")), newMCN("n", joining), counts{1, 0, 0, 0, 0}},

		{"told to update, no object", told, nil, counts{1, 0, 0, 1, 0}},
		{"told to update, an empty object", told, newMCN("n", blank), counts{1, 0, 0, 1, 0}},
		{"told to update, a new object", told, newMCN("n", joining), counts{1, 0, 0, 1, 0}},
		{"told to update, the object of a previous Node", told, newMCN("n", anotherOwner), counts{1, 0, 0, 1, 0}},

		{"the state annotation is Degraded", newNode("n", withState("Degraded", "drift")), newMCN("n"), counts{1, 0, 0, 1, 1}},
		{"the state annotation is Unreconcilable", newNode("n", withState("Unreconcilable", "drift")), newMCN("n"), counts{1, 0, 0, 1, 1}},
		{"the state annotation is Working", newNode("n", withState("Working", "drift")), newMCN("n"), counts{1, 1, 1, 0, 0}},

		{"the state annotation is empty", newNode("n", ordered(newConfig, ""), runsConfig(newConfig), withState("", "")), newMCN("n"), counts{1, 0, 0, 1, 0}},

		{"the Node has no role label yet", newNode("n", roles()), newMCN("n"), counts{1, 1, 1, 0, 0}},

		{"no object", newNode("n"), nil, counts{1, 0, 0, 0, 0}},
		{"the daemon of a joining node starts", newNode("n"), newMCN("n", joining, phase("Resumed", metav1.ConditionUnknown)), counts{1, 0, 0, 0, 0}},
		{"a joining node starts an update", newNode("n"), newMCN("n", joining, phase("AppliedFilesAndOS", metav1.ConditionUnknown)), counts{1, 0, 0, 1, 0}},
		{"no object, not ready", newNode("n", notReady), nil, counts{1, 0, 0, 1, 0}},
		{"no object, cordoned", newNode("n", cordoned), nil, counts{1, 0, 0, 1, 0}},
		{"no conditions", newNode("n"), newMCN("n", blank), counts{1, 0, 0, 0, 0}},
		{"the object of a previous Node of that name", newNode("n"), newMCN("n", degraded, anotherOwner), counts{1, 0, 0, 0, 0}},
		{"an owner of kind Node in another API group", newNode("n"), newMCN("n", namesake), counts{1, 1, 1, 0, 0}},
		{"an object without an owner", newNode("n"), newMCN("n", noOwner), counts{1, 1, 1, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var objects mcns
			if test.mcn != nil {
				objects = mcns{test.mcn}
			}
			assert.Equal(t, test.want, countsOf(statusOf(t, newPool("worker"), nodes{test.node}, objects, pool.Options{})))
		})
	}
}

// If the annotations of a Node are complete, they decide whether the node is updated, whatever its object shows.
func TestCompleteAnnotationsDecideWhateverTheObjectShows(t *testing.T) {
	ofPreviousNode := func(m *mcfgv1.MachineConfigNode) { m.OwnerReferences[0].UID = "uid-before" }
	updated, waits, isUpdating := counts{1, 1, 1, 0, 0}, counts{1, 0, 0, 0, 0}, counts{1, 0, 0, 1, 0}
	for name, object := range map[string]*mcfgv1.MachineConfigNode{
		"missing":                nil,
		"of a previous Node":     newMCN("n", ofPreviousNode),
		"empty":                  newMCN("n", func(m *mcfgv1.MachineConfigNode) { m.Status = mcfgv1.MachineConfigNodeStatus{} }),
		"new":                    newMCN("n", joining, waiting),
		"of an old daemon":       newMCN("n", notUpdated, configs(newConfig, newConfig, oldConfig), phase("Resumed", metav1.ConditionTrue)),
		"not started":            newMCN("n", waiting),
		"shows the update":       newMCN("n", updating, waiting),
		"shows the uncordon":     newMCN("n", started, phase("Uncordoned", metav1.ConditionUnknown), phase("RebootedNode", metav1.ConditionTrue)),
		"shows a failed update":  newMCN("n", updating, waiting, degraded),
		"shows a failure":        newMCN("n", degraded),
		"shows a later update":   newMCN("n", configs(oldConfig, oldConfig, oldConfig), updating),
		"shows the old image":    newMCN("n", images(oldImage, oldImage)),
		"shows the update's end": newMCN("n"),
	} {
		t.Run(name, func(t *testing.T) {
			var objects mcns
			if object != nil {
				objects = mcns{object}
			}
			of := func(n *corev1.Node, options pool.Options) counts {
				return countsOf(statusOf(t, newPool("worker"), nodes{n}, objects, options))
			}
			has := []func(*corev1.Node){ordered(newConfig, ""), runsConfig(newConfig)}
			assert.Equal(t, updated, of(newNode("n", has...), pool.Options{}))
			assert.Equal(t, counts{1, 1, 0, 1, 0}, of(newNode("n", append(has, cordoned)...), pool.Options{}), "a cordoned node is updated and unavailable")
			assert.Equal(t, counts{1, 0, 0, 1, 1}, of(newNode("n", append(has, withState("Degraded", "drift"))...), pool.Options{}), "the state annotation Degraded makes the node degraded")
			assert.Equal(t, waits, of(newNode("n", ordered(oldConfig, ""), runsConfig(oldConfig)), pool.Options{}), "a node with another config than the target waits")
			told := of(newNode("n", ordered(newConfig, newImage), runsConfig(newConfig), runs(oldImage)), built(newImage))
			assert.Equal(t, isUpdating[:4], told[:4], "a node that desires another image is being updated")
			assert.Equal(t, updated, of(newNode("n", ordered(newConfig, newImage), runsConfig(newConfig), runs(newImage)), built(newImage)), "a node with the image of the pool is updated")
			assert.Equal(t, waits, of(newNode("n", ordered(newConfig, oldImage), runsConfig(newConfig), runs(oldImage)), built(newImage)), "a node with another image than the target waits")
		})
	}
}

// Status ignores the selector of the pool, because the caller has selected the Nodes.
func TestTheSelectorOfThePoolIsIgnored(t *testing.T) {
	for name, change := range map[string]func(*mcfgv1.MachineConfigPool){
		"none":    func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = nil },
		"empty":   func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector = &metav1.LabelSelector{} },
		"invalid": invalidSelector,
	} {
		status := pool.Status(newPool("worker", change), nodes{newNode("a"), newNode("b", roles("infra"))}, nil, pool.Options{}, now)
		assert.EqualValues(t, 2, status.MachineCount, name)
	}
}

// A new status keeps the fields of other controllers, the last MachineConfig of all nodes, and the times of conditions that
// do not change.
func TestANewStatusKeepsTheFieldsOfOtherControllers(t *testing.T) {
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

	status := statusOf(t, p, nodes{newNode("a")}, mcns{newMCN("a", updating)}, pool.Options{})
	assert.Equal(t, int64(3), status.ObservedGeneration)
	assert.Equal(t, oldConfig, status.Configuration.Name, "before all nodes are updated, the status keeps the last config")
	assert.Equal(t, before.Status.CertExpirys, status.CertExpirys)
	assert.Equal(t, before.Status.OSImageStream, status.OSImageStream)
	assert.Equal(t, another, status.PoolSynchronizersStatus[0])
	assert.Equal(t, []int64{9, 1}, []int64{status.PoolSynchronizersStatus[1].ObservedGeneration, status.PoolSynchronizersStatus[1].MachineCount})
	assert.Len(t, status.Conditions, 5)
	assert.Equal(t, earlier, condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime, "still False")
	assert.Equal(t, earlier, condition(t, status, mcfgv1.MachineConfigPoolUpdating).LastTransitionTime, "still True")

	p.Status = status
	status = statusOf(t, p, nodes{newNode("a")}, mcns{newMCN("a")}, pool.Options{})
	assert.Equal(t, p.Spec.Configuration, status.Configuration)
	assert.Equal(t, metav1.NewTime(earlier.Add(time.Minute)), condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime, "a new lastTransitionTime is in whole seconds")
	assert.Equal(t, time.UTC, condition(t, status, mcfgv1.MachineConfigPoolUpdated).LastTransitionTime.Location())
	status.Configuration.Source[0].Name = "changed"
	assert.Equal(t, "00-worker", p.Spec.Configuration.Source[0].Name, "the status must not share memory with the spec")
}

// The synchronizer of the pool counts a node as updated, ready, available and unavailable according to its image sets.
func TestTheSynchronizerCountsImageSets(t *testing.T) {
	type set = mcfgv1.MachineConfigNodeStatusPinnedImageSet
	sets := func(list ...set) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) { m.Status.PinnedImageSets = list }
	}
	for _, test := range []struct {
		name string
		node *corev1.Node
		mcn  *mcfgv1.MachineConfigNode
		want [4]int64
	}{
		{"no sets", newNode("n"), newMCN("n"), [4]int64{1, 1, 1, 0}},
		{"no object", newNode("n"), newMCN("another"), [4]int64{0, 0, 1, 0}},
		{"done", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 2})), [4]int64{1, 1, 1, 0}},
		{"one not done", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1}, set{Name: "b", DesiredGeneration: 2, CurrentGeneration: 2})), [4]int64{0, 0, 1, 0}},
		{"done, not ready", newNode("n", notReady), newMCN("n"), [4]int64{1, 0, 0, 1}},
		{"done, updating", newNode("n"), newMCN("n", updating), [4]int64{1, 0, 0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := statusOf(t, newPool("worker"), nodes{test.node}, mcns{test.mcn}, pool.Options{}).PoolSynchronizersStatus
			require.Len(t, list, 1)
			got := list[0]
			assert.Equal(t, mcfgv1.PinnedImageSets, got.PoolSynchronizerType)
			assert.Equal(t, int64(1), got.MachineCount)
			assert.Equal(t, test.want, [4]int64{got.UpdatedMachineCount, got.ReadyMachineCount, got.AvailableMachineCount, got.UnavailableMachineCount})
		})
	}
}
