package pool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestDegraded is what makes a pool Degraded, and what it says then.
func TestDegraded(t *testing.T) {
	by := func(as mcfgv1.MachineConfigPoolConditionType, status corev1.ConditionStatus) mcfgv1.MachineConfigPoolCondition {
		return mcfgv1.MachineConfigPoolCondition{Type: as, Status: status}
	}
	for _, test := range []struct {
		name    string
		others  []mcfgv1.MachineConfigPoolCondition
		mcns    mcns
		message map[mcfgv1.MachineConfigPoolConditionType]string // of those that are True
	}{
		{"nothing", nil, mcns{newMCN("a"), newMCN("b")}, nil},
		{"no objects", nil, nil, nil},
		{"two nodes", nil, mcns{newMCN("b", degraded), newMCN("a", degraded)}, map[mcfgv1.MachineConfigPoolConditionType]string{
			"NodeDegraded": "2 nodes are degraded: a: disk full; b: disk full",
			"Degraded":     "The condition NodeDegraded is True",
		}},
		{"pinned images of one", nil, mcns{newMCN("a"), newMCN("b", pinFailed)}, map[mcfgv1.MachineConfigPoolConditionType]string{
			"PinnedImageSetsDegraded": "1 node is unable to pin images: b: no such image",
			"Degraded":                "The condition PinnedImageSetsDegraded is True",
		}},
		{"what others write", []mcfgv1.MachineConfigPoolCondition{
			by(mcfgv1.MachineConfigPoolBuildFailed, corev1.ConditionTrue),
			by(mcfgv1.MachineConfigPoolSynchronizerDegraded, corev1.ConditionTrue),
			by(mcfgv1.MachineConfigPoolImageBuildDegraded, corev1.ConditionUnknown),
			by(mcfgv1.MachineConfigPoolRenderDegraded, corev1.ConditionTrue),
		}, mcns{newMCN("a"), newMCN("b")}, map[mcfgv1.MachineConfigPoolConditionType]string{
			"Degraded": "The conditions RenderDegraded, PoolSynchronizerDegraded are True",
		}},
		{"a build", []mcfgv1.MachineConfigPoolCondition{by(mcfgv1.MachineConfigPoolImageBuildDegraded, corev1.ConditionTrue)}, nil,
			map[mcfgv1.MachineConfigPoolConditionType]string{"Degraded": "The condition ImageBuildDegraded is True"}},
		{"no longer", []mcfgv1.MachineConfigPoolCondition{
			by(mcfgv1.MachineConfigPoolDegraded, corev1.ConditionTrue),
			by(mcfgv1.MachineConfigPoolNodeDegraded, corev1.ConditionTrue),
		}, mcns{newMCN("a"), newMCN("b")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPool("worker", func(p *mcfgv1.MachineConfigPool) { p.Status.Conditions = test.others })
			status := pool.Status(p, nodes{newNode("b"), newNode("a")}, test.mcns, "", now)
			for _, as := range []mcfgv1.MachineConfigPoolConditionType{"NodeDegraded", "PinnedImageSetsDegraded", "Degraded"} {
				got := condition(t, status, as)
				if message, ok := test.message[as]; ok {
					assert.Equal(t, corev1.ConditionTrue, got.Status, "%s", as)
					assert.Equal(t, message, got.Message)
				} else {
					assert.Equal(t, corev1.ConditionFalse, got.Status, "%s", as)
					assert.Equal(t, "AsExpected", got.Reason)
				}
			}
		})
	}
}

// broken are n nodes that have much to complain about.
func broken(n int) (nodes, mcns) {
	cause := strings.Repeat("é", 32768)
	ns, ms := make(nodes, n), make(mcns, n)
	for i := range ns {
		name := fmt.Sprintf("worker-%04d", i)
		ns[i] = newNode(name)
		ms[i] = newMCN(name, updating,
			says(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, cause),
			says(mcfgv1.MachineConfigNodePinnedImageSetsDegraded, metav1.ConditionTrue, cause))
	}
	return ns, ms
}

// TestFiveThousandBrokenNodes holds a status against the limit of etcd, which is 1.5 MB.
func TestFiveThousandBrokenNodes(t *testing.T) {
	ns, ms := broken(5000)
	status := pool.Status(newPool("worker"), ns, ms, "", now)
	text, err := json.Marshal(status)
	require.NoError(t, err)
	assert.Less(t, len(text), 20<<10)
	assert.Equal(t, counts{5000, 0, 0, 5000, 5000}, countsOf(status))

	for _, as := range []mcfgv1.MachineConfigPoolConditionType{"NodeDegraded", "PinnedImageSetsDegraded"} {
		message := condition(t, status, as).Message
		assert.True(t, utf8.ValidString(message))
		assert.Regexp(t, `^5000 nodes are [a-z ]+: worker-0000: é+… \[cut\]; worker-0001: é+… \[cut\]; .*; and \d+ more$`, message)
		assert.Equal(t, 5000, strings.Count(message, ": é")+more(t, message))
	}
}

// more is how many nodes a message leaves out.
func more(t *testing.T, message string) (n int) {
	t.Helper()
	_, err := fmt.Sscanf(message[strings.LastIndex(message, "; and "):], "; and %d more", &n)
	require.NoError(t, err)
	return n
}

// TestPinnedImageSets is how the pool's synchronizer counts one machine: updated, ready,
// available, unavailable.
func TestPinnedImageSets(t *testing.T) {
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
		{"one is not done", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1}, set{Name: "b", DesiredGeneration: 2, CurrentGeneration: 2})), [4]int64{0, 0, 1, 0}},
		{"never begun", newNode("n"), newMCN("n", sets(set{Name: "a"})), [4]int64{0, 0, 1, 0}},
		{"failed", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 2, LastFailedGeneration: 1})), [4]int64{0, 0, 1, 0}},
		{"degraded", newNode("n"), newMCN("n", pinFailed), [4]int64{0, 0, 1, 0}},
		{"done, not ready", newNode("n", notReady), newMCN("n"), [4]int64{1, 0, 0, 1}},
		{"done, being updated", newNode("n"), newMCN("n", updating), [4]int64{1, 0, 0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := pool.Status(newPool("worker"), nodes{test.node}, mcns{test.mcn}, "", now).PoolSynchronizersStatus
			require.Len(t, list, 1)
			got := list[0]
			assert.Equal(t, mcfgv1.PinnedImageSets, got.PoolSynchronizerType)
			assert.Equal(t, int64(1), got.MachineCount)
			assert.Equal(t, test.want, [4]int64{got.UpdatedMachineCount, got.ReadyMachineCount, got.AvailableMachineCount, got.UnavailableMachineCount})
		})
	}
}
